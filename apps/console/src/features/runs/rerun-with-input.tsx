import type { Execution } from '@deckhand/contracts';
import { Select, Text, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { wholeRunQuery } from '../../api/executions.ts';
import { execute } from '../../api/workflows.ts';
import { Broken } from '../../components/broken.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { DialogForm, submitBy } from '../../components/form-dialog.tsx';
import { Loading } from '../../components/loading.tsx';
import { notify } from '../../components/notice-board.ts';
import { issuesWithin } from '../../forms/issue-at.ts';
import { fromObjectText } from '../../forms/values.ts';
import { i18n } from '../../language/i18n.ts';
import type { RerunChoice } from './rerun-versions.ts';

/** Longest input that is shown for editing, in characters. */
const MAX_SHOWN = 500_000;

/**
 * Starts a run of the same workflow, trigger and mode with another input and version. It is a new run, and not a rerun:
 * those have the trigger data of their original. @param choices the versions, the default first.
 */
export function RerunWithInput({
  run,
  choices,
  onClose,
}: {
  run: Execution;
  choices: readonly RerunChoice[];
  onClose: () => void;
}) {
  // The page shows large trigger data in part.
  const whole = useQuery(wholeRunQuery(run.id));
  const [usual] = choices;
  return (
    <Dialog onClose={onClose} title={i18n.t('Re-run with edited input')} size="lg">
      {whole.isError ? (
        <Broken error={whole.error} reset={() => void whole.refetch()} />
      ) : whole.data && JSON.stringify(whole.data.data.trigger).length > MAX_SHOWN ? (
        <Text size="sm">{i18n.t('The input of this run is too long to be edited.')}</Text>
      ) : whole.data && usual ? (
        <InputForm run={whole.data} choices={choices} usual={usual} onClose={onClose} />
      ) : (
        <Loading />
      )}
    </Dialog>
  );
}

function InputForm({
  run,
  choices,
  usual,
  onClose,
}: {
  run: Execution;
  choices: readonly RerunChoice[];
  usual: RerunChoice;
  onClose: () => void;
}) {
  const navigate = useNavigate();
  const { workspaceId, workflowId, workflowVersionId, executionMode } = run;
  return (
    <DialogForm
      initial={{ input: JSON.stringify(run.data.trigger ?? {}, undefined, 2), version: usual.version }}
      submit={i18n.t('Run')}
      canSubmit={({ input }) => fromObjectText(input) !== undefined}
      isShownAtField={(error) => issuesWithin(error, 'input').length > 0}
      act={async ({ input, version }) => {
        const { executionId, warning } = await execute(workflowId, {
          input: fromObjectText(input) ?? {},
          triggerNodeId: run.data.triggerNodeId,
          executionMode,
          version: version === 'original' ? workflowVersionId : version,
        });
        onClose();
        if (warning !== undefined) notify(warning);
        await navigate({ to: '/w/$workspaceId/runs/$executionId', params: { workspaceId, executionId } });
      }}
      onCancel={onClose}
    >
      {({ values: { input, version }, set, text, error }) => {
        const issues = issuesWithin(error, 'input');
        return (
          <>
            <Textarea
              label={i18n.t('Input')}
              description={i18n.t('A JSON object, available to nodes as $trigger')}
              autosize
              minRows={6}
              maxRows={20}
              spellCheck={false}
              data-autofocus
              error={fromObjectText(input) ? issues.length > 0 && issues.join('\n') : i18n.t('Not a JSON object')}
              onKeyDown={submitBy('mod+Enter')}
              styles={{
                input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 },
                error: { whiteSpace: 'pre-line' },
              }}
              {...text('input')}
            />
            <Select
              label={i18n.t('Version')}
              allowDeselect={false}
              data={choices.map(({ version: value, title }) => ({ value, label: title }))}
              value={version}
              onChange={(value) => {
                const chosen = choices.find((one) => one.version === value);
                if (chosen) set({ version: chosen.version });
              }}
            />
          </>
        );
      }}
    </DialogForm>
  );
}
