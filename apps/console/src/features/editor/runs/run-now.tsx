import { type ExecuteBody, EXECUTION_MODES, type ExecutionMode, isJsonObject, parseJson } from '@deckhand/contracts';
import { Select, Stack, Text, Textarea } from '@mantine/core';
import { getHotkeyHandler } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { execute } from '../../../api/workflows.ts';
import { choice } from '../../../app/search.ts';
import { Dialog } from '../../../components/dialog.tsx';
import { FormFooter } from '../../../components/form-footer.tsx';
import { notify } from '../../../components/notice-board.ts';
import { issuesWithin } from '../../../forms/issue-at.ts';
import { fromObjectText } from '../../../forms/values.ts';
import { i18n } from '../../../language/i18n.ts';
import { definitionOf, hasChanges } from '../model/editor-model.ts';
import { useEditor, useEditorSession, usePinnedOutputs } from '../model/editor-session.tsx';
import { useCanvasRuns } from './canvas-runs.tsx';
import { InputSource } from './input-source.tsx';
import { sampleInput } from './sample-input.ts';

const MODES: Readonly<Record<ExecutionMode, string>> = {
  normal: i18n.t('Normal'),
  test: i18n.t('Test (excluded from metrics)'),
  debug: i18n.t('Debug (keeps the input of every node)'),
  sandbox: i18n.t('Sandbox (no external effects)'),
};

/** Asks for the input of a run, saves the canvas, and starts the run. */
export function RunNow() {
  const { workflow, model, versions } = useEditorSession();
  const workflowId = workflow.id;
  const { shown } = useCanvasRuns();
  const definition = useEditor(definitionOf);
  const isOpen = useEditor(({ dialog }) => dialog?.kind === 'run');
  const pinned = usePinnedOutputs();
  const start = useMutation({
    async mutationFn(body: ExecuteBody) {
      await versions.save();
      return execute(workflowId, body);
    },
    onSuccess({ executionId, warning }) {
      model.close('run');
      shown.show(executionId);
      if (warning !== undefined) notify(warning);
    },
    onError: () => {
      // The canvas shows why it could not be saved.
      if (hasChanges(model.read())) model.close('run');
    },
  });
  const onClose = (): void => model.close('run');
  const triggers = definition.nodes.filter(({ type }) => model.types.get(type)?.isTrigger);
  const [remembered] = useState(() => readLastInput(workflowId));
  const [typed, setTyped] = useState(remembered.input);
  const [chosenMode, setMode] = useState<ExecutionMode | undefined>();
  const [trigger, setTrigger] = useState<string | null>(null);
  const pinnedIds = Object.keys(pinned);
  const isPinned = pinnedIds.length > 0;
  const pinnedNames = pinnedIds.map((id) => definition.nodes.find((node) => node.id === id)?.name ?? id).join(', ');
  const mode = chosenMode ?? (isPinned && remembered.mode === 'normal' ? 'test' : remembered.mode);
  const chosen = triggers.find(({ id }) => id === trigger) ?? triggers[0];
  const input = typed ?? JSON.stringify(isOpen ? sampleInput(definition, chosen) : {}, undefined, 2);
  const parsed = fromObjectText(input);
  const issues = issuesWithin(start.error, 'input');
  const run = (): void => {
    if (!parsed || start.isPending) return;
    setTyped(input);
    keepLastInput(workflowId, { input, mode });
    const mocks = isPinned && mode !== 'normal' && { mocks: pinned };
    start.mutate({
      input: parsed,
      executionMode: mode,
      ...mocks,
      ...(trigger === null ? {} : { triggerNodeId: trigger }),
    });
  };
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={i18n.t('Run workflow')}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          run();
        }}
      >
        <Stack>
          {triggers.length > 1 && (
            <Select
              label={i18n.t('Trigger')}
              required
              data={triggers.map(({ id, name }) => ({ value: id, label: name ?? id }))}
              value={trigger}
              onChange={setTrigger}
            />
          )}
          {isOpen && <InputSource workflowId={workflowId} input={input} onFill={setTyped} />}
          <Textarea
            label={i18n.t('Input')}
            description={i18n.t('A JSON object, available to nodes as $trigger')}
            autosize
            minRows={4}
            maxRows={16}
            spellCheck={false}
            data-autofocus
            value={input}
            error={parsed ? issues.length > 0 && issues.join('\n') : i18n.t('Not a JSON object')}
            onChange={(event) => {
              setTyped(event.currentTarget.value);
              if (issues.length > 0) start.reset();
            }}
            onKeyDown={getHotkeyHandler([['mod+Enter', run]])}
            styles={{
              input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 },
              error: { whiteSpace: 'pre-line' },
            }}
          />
          <Select
            label={i18n.t('Mode')}
            allowDeselect={false}
            data={EXECUTION_MODES.map((value) => ({ value, label: MODES[value] }))}
            value={mode}
            onChange={(value) => setMode(choice(EXECUTION_MODES, value) ?? 'normal')}
          />
          {isPinned && (
            <Text size="sm">
              {mode === 'normal'
                ? i18n.t('Pinned outputs are not used in this mode: {names}', { names: pinnedNames })
                : i18n.t('These do not run, their outputs are pinned: {names}', { names: pinnedNames })}
            </Text>
          )}
          <FormFooter
            error={issues.length > 0 ? null : start.error}
            submit={i18n.t('Run')}
            isPending={start.isPending}
            isDisabled={!parsed}
            onCancel={onClose}
          />
        </Stack>
      </form>
    </Dialog>
  );
}

/** What a run was started with last. */
interface LastInput {
  /** As it was typed; undefined if this tab has started none. */
  readonly input: string | undefined;
  readonly mode: ExecutionMode;
}

const placeOf = (workflowId: string): string => `deckhand.input.${workflowId}`;

/** Returns the input of the last run that this tab has started of a workflow. */
function readLastInput(workflowId: string): LastInput {
  const kept = sessionStorage.getItem(placeOf(workflowId));
  const last = kept === null ? null : parseJson(kept);
  if (!isJsonObject(last) || typeof last.input !== 'string') return { input: undefined, mode: 'normal' };
  return { input: last.input, mode: choice(EXECUTION_MODES, last.mode) ?? 'normal' };
}

/** Keeps the input of a run, in this tab only: it may be confidential. */
function keepLastInput(workflowId: string, last: LastInput): void {
  try {
    sessionStorage.setItem(placeOf(workflowId), JSON.stringify(last));
  } catch {
    // It is too large for the storage.
  }
}
