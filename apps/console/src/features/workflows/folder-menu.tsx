import type { FolderEntry } from '@deckhand/contracts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Trash2 } from 'lucide-react';
import { deleteFolder, foldersQuery, updateFolder } from '../../api/folders.ts';
import { useWorkspace } from '../../api/use-workspace.ts';
import { allFolders, type FolderTree, isWithin, targetsOfFolder } from '../../api/folder-tree.ts';
import { type Action, ActionMenu } from '../../components/action-menu.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { notify } from '../../components/notice-board.ts';
import { i18n } from '../../language/i18n.ts';
import { moveAction, renameAction } from './list-actions.tsx';

/**
 * The actions on a folder; none for roles below editor.
 * @param onDeleted called before the list is fetched again.
 */
export function FolderMenu({ folder, onDeleted }: { folder: FolderEntry; onDeleted?: () => void }) {
  const { workspaceId, can } = useWorkspace();
  const queryClient = useQueryClient();
  const tree = useQuery(foldersQuery(workspaceId)).data;
  if (!can('workflows.edit') || !tree) return null;
  const { id, name } = folder;
  const refresh = () => queryClient.invalidateQueries({ queryKey: foldersQuery(workspaceId).queryKey });
  const actions: Action[] = [
    renameAction(name, async (next) => {
      await updateFolder(id, { name: next });
      await refresh();
    }),
    moveAction({
      name,
      targets: targetsOfFolder(tree, folder),
      act: async (parentId) => {
        await updateFolder(id, { parentId });
        await refresh();
      },
    }),
    {
      label: i18n.t('Delete'),
      Icon: Trash2,
      isDangerous: true,
      dialog: (close) => (
        <ConfirmDialog
          question={i18n.t('Delete the folder {name}?', { name })}
          consequence={describeLoss(tree, id)}
          label={i18n.t('Delete')}
          act={async () => {
            await deleteFolder(id);
            notify(i18n.t('The folder {name} is deleted.', { name }));
            onDeleted?.();
            await refresh();
            await queryClient.invalidateQueries({ queryKey: ['workflows', workspaceId] });
          }}
          onClose={close}
        />
      ),
    },
  ];
  return <ActionMenu of={name} actions={actions} />;
}

/** Describes what is deleted with a folder, and what is kept. */
function describeLoss(tree: FolderTree, id: string): string {
  const inner = allFolders(tree).filter((folder) => folder.id !== id && isWithin(tree, folder.id, id)).length;
  const kept = i18n.t(
    'No workflow is deleted. All its workflows move to the top level, managed ones until they are applied again.',
  );
  if (inner === 0) return kept;
  const folders = i18n.t(
    '{count, plural, one {Its subfolder is deleted, too.} other {Its # subfolders are deleted, too.}}',
    { count: inner },
  );
  return `${folders} ${kept}`;
}
