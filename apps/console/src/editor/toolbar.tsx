import { type Workflow, WORKFLOW_STATUSES } from '@deckhand/contracts';
import { Button, Group, Select, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { History, LayoutDashboard, MessageSquarePlus, Play, Redo2, Save, SlidersHorizontal, Undo2 } from 'lucide-react';
import { updateWorkflow, workflowQuery } from '../api/workflows.js';
import { choice } from '../app/search.js';
import { notify, notifyProblem } from '../components/notice-board.js';
import { STATUS_LOOKS } from '../components/status-badge.js';
import { Tool } from './tool.js';
import type { Editor } from './use-editor.js';

/** The actions on the workflow as a whole. */
export function Toolbar({
  workflow,
  editor,
  isSaving,
  onSave,
  onSaveWithComment,
  onRun,
  onVersions,
  onSettings,
  onTidy,
}: {
  workflow: Workflow;
  editor: Editor;
  isSaving: boolean;
  onSave: () => void;
  onSaveWithComment: () => void;
  onRun: () => void;
  onVersions: () => void;
  onSettings: () => void;
  onTidy: () => void;
}) {
  const queryClient = useQueryClient();
  const status = useMutation({
    mutationFn: (next: Workflow['status']) => updateWorkflow(workflow.id, { status: next }),
    onError: notifyProblem,
    async onSuccess(updated) {
      notify(`The workflow is ${STATUS_LOOKS[updated.status].label.toLowerCase()}.`);
      await queryClient.invalidateQueries({ queryKey: workflowQuery(workflow.id).queryKey });
    },
  });
  return (
    <Group gap="xs">
      <Text size="sm" c="dimmed" role="status">
        {editor.isDirty ? 'Unsaved changes' : 'Saved'}
      </Text>
      <Tool label="Undo" isDisabled={!editor.canUndo} onClick={editor.undo}>
        <Undo2 size={17} aria-hidden />
      </Tool>
      <Tool label="Redo" isDisabled={!editor.canRedo} onClick={editor.redo}>
        <Redo2 size={17} aria-hidden />
      </Tool>
      <Tool label="Auto-layout" onClick={onTidy}>
        <LayoutDashboard size={17} aria-hidden />
      </Tool>
      <Tool label="Versions" onClick={onVersions}>
        <History size={17} aria-hidden />
      </Tool>
      <Tool label="Settings" onClick={onSettings}>
        <SlidersHorizontal size={17} aria-hidden />
      </Tool>
      <Select
        aria-label="Workflow status"
        w={120}
        allowDeselect={false}
        data={WORKFLOW_STATUSES.map((value) => ({ value, label: STATUS_LOOKS[value].label }))}
        value={workflow.status}
        disabled={status.isPending}
        onChange={(value) => {
          const next = choice(WORKFLOW_STATUSES, value);
          if (next !== undefined && next !== workflow.status) status.mutate(next);
        }}
      />
      <Button
        variant="default"
        leftSection={<Save size={16} aria-hidden />}
        disabled={!editor.isDirty}
        loading={isSaving}
        onClick={onSave}
      >
        Save
      </Button>
      <Tool label="Save with a comment…" isDisabled={!editor.isDirty} onClick={onSaveWithComment}>
        <MessageSquarePlus size={17} aria-hidden />
      </Tool>
      <Button leftSection={<Play size={16} aria-hidden />} onClick={onRun}>
        Run
      </Button>
    </Group>
  );
}
