import type { Workflow } from '@deckhand/contracts';
import { Button, Group, Text } from '@mantine/core';
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
import { i18n } from '../language/i18n.ts';
import { Activation } from './activation.tsx';
import { DraftConflict } from './draft-conflict.tsx';
import type { DraftState } from './draft-writer.ts';
import { Tool } from './tool.tsx';
import type { DraftSync } from './use-draft.ts';
import type { Editor } from './use-editor.ts';

/** What the draft of a changed canvas is in. */
const DRAFT_STATES: Readonly<Record<DraftState, string>> = {
  pending: i18n.t('Unsaved changes'),
  saved: i18n.t('Draft saved'),
  failed: i18n.t('Draft not saved, retrying'),
  conflict: i18n.t('Draft not saved: somebody else is editing'),
};

/** The actions on the workflow as a whole. */
export function Toolbar({
  workflow,
  editor,
  isSaving,
  sync,
  onAdd,
  onSave,
  onSaveToActivate,
  onSaveWithComment,
  onRun,
  onVersions,
  onSettings,
  onTidy,
}: {
  workflow: Workflow;
  editor: Editor;
  sync: DraftSync;
  isSaving: boolean;
  /** Asks for a node to add. */
  onAdd: () => void;
  onSave: () => void;
  /** Saves the version to activate, and returns it. */
  onSaveToActivate: () => Promise<string | null>;
  onSaveWithComment: () => void;
  onRun: () => void;
  onVersions: () => void;
  onSettings: () => void;
  onTidy: () => void;
}) {
  const state = editor.isDirty ? DRAFT_STATES[sync.state] : i18n.t('Saved');
  return (
    <Group gap="xs">
      {/* As wide as its usual texts, so that nothing moves when it changes. */}
      <Text size="sm" c="dimmed" role="status" aria-label={i18n.t('Saved state')} title={state} truncate w={130}>
        {state}
      </Text>
      {editor.isDirty && sync.state === 'conflict' && <DraftConflict sync={sync} />}
      <Button variant="light" leftSection={<Plus size={16} aria-hidden />} onClick={onAdd}>
        {i18n.t('Add node')}
      </Button>
      <Tool label={i18n.t('Undo')} isDisabled={!editor.canUndo} onClick={editor.undo}>
        <Undo2 size={17} aria-hidden />
      </Tool>
      <Tool label={i18n.t('Redo')} isDisabled={!editor.canRedo} onClick={editor.redo}>
        <Redo2 size={17} aria-hidden />
      </Tool>
      <Tool label={i18n.t('Auto-layout')} onClick={onTidy}>
        <LayoutDashboard size={17} aria-hidden />
      </Tool>
      <Tool label={i18n.t('Versions')} onClick={onVersions}>
        <History size={17} aria-hidden />
      </Tool>
      <Tool label={i18n.t('Settings')} onClick={onSettings}>
        <SlidersHorizontal size={17} aria-hidden />
      </Tool>
      <Activation workflow={workflow} editor={editor} onSave={onSaveToActivate} />
      <Button
        variant="default"
        leftSection={<Save size={16} aria-hidden />}
        disabled={!editor.isDirty}
        loading={isSaving}
        onClick={onSave}
      >
        {i18n.t('Save')}
      </Button>
      <Tool label={i18n.t('Save with a comment…')} isDisabled={!editor.isDirty} onClick={onSaveWithComment}>
        <MessageSquarePlus size={17} aria-hidden />
      </Tool>
      <Button leftSection={<Play size={16} aria-hidden />} onClick={onRun}>
        {i18n.t('Run')}
      </Button>
    </Group>
  );
}
