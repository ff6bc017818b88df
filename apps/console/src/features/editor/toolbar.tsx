import { ActionIcon, Button, Group, Text, Tooltip } from '@mantine/core';
import {
  History,
  LayoutDashboard,
  MessageSquarePlus,
  Play,
  Plus,
  Redo2,
  Save,
  SlidersHorizontal,
  Undo2,
} from 'lucide-react';
import type { ReactNode } from 'react';
import { useWorkspace } from '../../api/use-workspace.ts';
import { layOut } from '../../graph/layout.ts';
import { i18n } from '../../language/i18n.ts';
import { Activation } from '../versions/activation.tsx';
import { hasChanges } from './model/editor-model.ts';
import { useDraftState, useEditor, useEditorSession } from './model/editor-session.tsx';
import { moveNodes } from './model/edits.ts';
import { DraftConflict } from './saving/conflicts.tsx';
import type { DraftState } from './saving/draft-writer.ts';

/** What the draft of a changed canvas is in. */
const DRAFT_STATES: Readonly<Record<DraftState, string>> = {
  pending: i18n.t('Unsaved changes'),
  saved: i18n.t('Draft saved'),
  failed: i18n.t('Draft not saved, retrying'),
  conflict: i18n.t('Draft not saved: somebody else is editing'),
};

/** The actions on the workflow as a whole. Who may not edit it sees its versions, and may run it. */
export function Toolbar() {
  const isReadOnly = useEditor((state) => state.isReadOnly);
  return isReadOnly ? <ReadOnlyTools /> : <EditTools />;
}

function ReadOnlyTools() {
  const { model, workflow } = useEditorSession();
  const { can } = useWorkspace();
  return (
    <>
      {can('runs.start') && (
        <Tool label={i18n.t('Run')} onClick={() => model.open({ kind: 'run' })}>
          <Play size={17} aria-hidden />
        </Tool>
      )}
      <Tool label={i18n.t('Versions')} onClick={() => model.open({ kind: 'versions' })}>
        <History size={17} aria-hidden />
      </Tool>
      {can('workflows.publish') && !workflow.managed && <Activation />}
    </>
  );
}

function EditTools() {
  const { can } = useWorkspace();
  const { model, versions } = useEditorSession();
  const isDirty = useEditor(hasChanges);
  const canUndo = useEditor(({ history }) => history.past.length > 0);
  const canRedo = useEditor(({ history }) => history.future.length > 0);
  const isSaving = useEditor(({ save }) => save.kind === 'pending');
  const draft = useDraftState();
  const state = isDirty ? DRAFT_STATES[draft] : i18n.t('Saved');
  return (
    <Group gap="xs">
      {/* As wide as its usual texts, so that nothing moves when it changes. */}
      <Text size="sm" c="dimmed" role="status" aria-label={i18n.t('Saved state')} title={state} truncate w={130}>
        {state}
      </Text>
      {isDirty && draft === 'conflict' && <DraftConflict />}
      <Button
        variant="light"
        leftSection={<Plus size={16} aria-hidden />}
        onClick={() => model.open({ kind: 'add', spot: { kind: 'next' } })}
      >
        {i18n.t('Add node')}
      </Button>
      <Tool label={i18n.t('Undo')} isDisabled={!canUndo} onClick={() => model.undo()}>
        <Undo2 size={17} aria-hidden />
      </Tool>
      <Tool label={i18n.t('Redo')} isDisabled={!canRedo} onClick={() => model.redo()}>
        <Redo2 size={17} aria-hidden />
      </Tool>
      <Tool
        label={i18n.t('Auto-layout')}
        onClick={() => model.apply((before) => moveNodes(before, layOut(before, model.types)))}
      >
        <LayoutDashboard size={17} aria-hidden />
      </Tool>
      <Tool label={i18n.t('Versions')} onClick={() => model.open({ kind: 'versions' })}>
        <History size={17} aria-hidden />
      </Tool>
      <Tool label={i18n.t('Settings')} onClick={() => model.open({ kind: 'settings' })}>
        <SlidersHorizontal size={17} aria-hidden />
      </Tool>
      {can('workflows.publish') && <Activation />}
      <Button
        variant="default"
        leftSection={<Save size={16} aria-hidden />}
        disabled={!isDirty}
        loading={isSaving}
        onClick={() => void versions.save().catch(() => undefined)}
      >
        {i18n.t('Save')}
      </Button>
      <Tool
        label={i18n.t('Save with a comment…')}
        isDisabled={!isDirty}
        onClick={() => model.open({ kind: 'comment' })}
      >
        <MessageSquarePlus size={17} aria-hidden />
      </Tool>
      <Button leftSection={<Play size={16} aria-hidden />} onClick={() => model.open({ kind: 'run' })}>
        {i18n.t('Run')}
      </Button>
    </Group>
  );
}

/** An icon button of the toolbar, with its action as a tooltip. */
function Tool({
  label,
  isDisabled = false,
  onClick,
  children,
}: {
  label: string;
  isDisabled?: boolean;
  onClick: () => void;
  children: ReactNode;
}) {
  return (
    <Tooltip label={label}>
      <ActionIcon variant="default" size={36} aria-label={label} disabled={isDisabled} onClick={onClick}>
        {children}
      </ActionIcon>
    </Tooltip>
  );
}
