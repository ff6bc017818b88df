import { FolderInput, Pencil } from 'lucide-react';
import type { ComponentProps } from 'react';
import type { Action } from '../../components/action-menu.js';
import { MoveForm } from './move-form.js';
import { NameForm } from './name-form.js';

/** Renames a workflow or folder. @param rename resolves once the list shows the new name. */
export function renameAction(name: string, rename: (next: string) => Promise<void>): Action {
  return {
    label: 'Rename',
    Icon: Pencil,
    dialog: (close) => <NameForm title={`Rename ${name}`} name={name} submit="Rename" act={rename} onClose={close} />,
  };
}

/** Moves a workflow or folder. */
export function moveAction(of: Pick<ComponentProps<typeof MoveForm>, 'name' | 'targets' | 'act'>): Action {
  return { label: 'Move', Icon: FolderInput, dialog: (close) => <MoveForm {...of} onClose={close} /> };
}
