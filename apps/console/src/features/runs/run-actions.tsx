import { type Execution, isFinished, isJsonObject, type RerunBody } from '@deckhand/contracts';
import { Button, Group, Menu, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { ChevronDown, Pause, Play, RotateCw, Square } from 'lucide-react';
import {
  deleteRun,
  pauseRun,
  redactRun,
  rerun,
  resumeRun,
  runQuery,
  stopRun,
  wholeRunQuery,
} from '../../api/executions.ts';
import { useWorkspace } from '../../api/use-workspace.ts';
import { nodeTypesQuery, versionQuery } from '../../api/workflows.ts';
import { Broken } from '../../components/broken.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { CopyText } from '../../components/copy-text.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Loading } from '../../components/loading.tsx';
import { notify, notifyProblem } from '../../components/notice-board.ts';
import { i18n } from '../../language/i18n.ts';
import { RerunWithInput } from './rerun-with-input.tsx';
import { mayRerunFromNodes, useRerunChoices } from './rerun-versions.ts';
import { testAsYaml, toTest } from './to-test.ts';

interface RunActionsProps {
  readonly run: Execution;
  /** The node from which the run can be started again. */
  readonly selected: string | undefined;
  /** The names of nodes by their ids. */
  readonly titles: ReadonlyMap<string, string>;
}

/** The actions on a run in its current status: stop, pause, resume, rerun, save as a test, redact, delete. */
export function RunActions(props: RunActionsProps) {
  const { can } = useWorkspace();
  if (isFinished(props.run.status)) return can('runs.start') && <RunAgain {...props} />;
  return can('runs.control') && <Steer run={props.run} />;
}

function Steer({ run }: { run: Execution }) {
  const queryClient = useQueryClient();
  const options = {
    onError: notifyProblem,
    onSettled: () => queryClient.invalidateQueries({ queryKey: runQuery(run.id).queryKey }),
  };
  const pause = useMutation({ mutationFn: () => pauseRun(run.id), ...options });
  const resume = useMutation({ mutationFn: () => resumeRun(run.id), ...options });
  return (
    <>
      {run.status === 'paused' ? (
        <Button
          variant="default"
          leftSection={<Play size={16} aria-hidden />}
          loading={resume.isPending}
          onClick={() => resume.mutate()}
        >
          {i18n.t('Resume')}
        </Button>
      ) : (
        <Button
          variant="default"
          leftSection={<Pause size={16} aria-hidden />}
          loading={pause.isPending}
          onClick={() => pause.mutate()}
        >
          {i18n.t('Pause')}
        </Button>
      )}
      <StopButton executionId={run.id} />
    </>
  );
}

/** Stops a run, after a question. */
export function StopButton({ executionId, size }: { executionId: string; size?: 'compact-sm' }) {
  const queryClient = useQueryClient();
  const [isAsking, asking] = useDisclosure(false);
  const stop = useMutation({
    mutationFn: () => stopRun(executionId),
    onError: notifyProblem,
    onSettled: () => queryClient.invalidateQueries({ queryKey: runQuery(executionId).queryKey }),
  });
  return (
    <>
      <Button
        color="red.9"
        {...(size && { size })}
        leftSection={<Square size={15} aria-hidden />}
        onClick={asking.open}
      >
        {i18n.t('Stop')}
      </Button>
      <Dialog isOpen={isAsking} onClose={asking.close} title={i18n.t('Stop this run?')}>
        <Text size="sm">
          {i18n.t('The current node is interrupted. A stopped run cannot be resumed, but it can be re-run.')}
        </Text>
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={asking.close}>
            {i18n.t('Keep running')}
          </Button>
          <Button
            color="red.9"
            data-autofocus
            loading={stop.isPending}
            onClick={() => {
              stop.mutate();
              asking.close();
            }}
          >
            {i18n.t('Stop run')}
          </Button>
        </Group>
      </Dialog>
    </>
  );
}

/** Starts reruns of a run, and opens them. */
export function useRerun(run: Execution) {
  const navigate = useNavigate();
  return useMutation({
    mutationFn: (body: RerunBody) => rerun(run.id, body),
    onError: notifyProblem,
    async onSuccess({ executionId, warning }) {
      if (warning !== undefined) notify(warning);
      await navigate({
        to: '/w/$workspaceId/runs/$executionId',
        params: { workspaceId: run.workspaceId, executionId },
      });
    },
  });
}

function RunAgain({ run, selected, titles }: RunActionsProps) {
  const { can } = useWorkspace();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const [isRedacting, redacting] = useDisclosure(false);
  const [isDeleting, deleting] = useDisclosure(false);
  const [isSaving, saving] = useDisclosure(false);
  const [isEditing, editing] = useDisclosure(false);
  const choices = useRerunChoices(run);
  const [usual] = choices;
  const again = useRerun(run);
  return (
    <Button.Group>
      <Button
        leftSection={<RotateCw size={16} aria-hidden />}
        loading={again.isPending}
        disabled={usual === undefined}
        title={usual && i18n.t('With {title}', { title: usual.title })}
        onClick={() => usual && again.mutate({ version: usual.version })}
      >
        {i18n.t('Re-run')}
      </Button>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button px="xs" aria-label={i18n.t('More actions')} disabled={again.isPending}>
            <ChevronDown size={16} aria-hidden />
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {choices.map(({ version, title }) => (
            <Menu.Item key={version} onClick={() => again.mutate({ version })}>
              {i18n.t('Re-run with {title}', { title })}
            </Menu.Item>
          ))}
          {/* Data that was deleted cannot be edited. */}
          {isJsonObject(run.data.trigger) && (
            <Menu.Item onClick={editing.open}>{i18n.t('Re-run with edited input…')}</Menu.Item>
          )}
          <Menu.Divider />
          {!mayRerunFromNodes(run, can) ? null : selected === undefined ? (
            <Menu.Item disabled>{i18n.t('Select a node to re-run from it')}</Menu.Item>
          ) : (
            choices.map(({ version, title }) => (
              <Menu.Item key={version} onClick={() => again.mutate({ version, fromNodeId: selected })}>
                {i18n.t('Re-run from "{node}" with {title}', { node: titles.get(selected) ?? selected, title })}
              </Menu.Item>
            ))
          )}
          <Menu.Divider />
          {(run.status === 'success' || run.status === 'failed') && (
            <Menu.Item onClick={saving.open}>{i18n.t('Save as a test…')}</Menu.Item>
          )}
          {can('runs.delete') && (
            <>
              <Menu.Item onClick={redacting.open}>{i18n.t('Redact…')}</Menu.Item>
              <Menu.Item c="var(--status-bad)" onClick={deleting.open}>
                {i18n.t('Delete…')}
              </Menu.Item>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
      <ConfirmDialog
        isOpen={isRedacting}
        question={i18n.t('Redact this run?')}
        consequence={i18n.t(
          'Its input, result, outputs and debug data are deleted. Its status, times and errors stay.',
        )}
        label={i18n.t('Redact')}
        act={async () => {
          await redactRun(run.id);
          queryClient.removeQueries({ queryKey: ['output', run.id] });
          queryClient.removeQueries({ queryKey: ['debug', run.id] });
          await queryClient.invalidateQueries({ queryKey: runQuery(run.id).queryKey });
        }}
        onClose={redacting.close}
      />
      <ConfirmDialog
        isOpen={isDeleting}
        question={i18n.t('Delete this run?')}
        consequence={i18n.t('The run and all its data are deleted.')}
        label={i18n.t('Delete')}
        act={async () => {
          await deleteRun(run.id);
          await navigate({ to: '/w/$workspaceId/runs', params: { workspaceId: run.workspaceId } });
        }}
        onClose={deleting.close}
      />
      {isEditing && <RerunWithInput run={run} choices={choices} onClose={editing.close} />}
      {isSaving && <SaveAsTest run={run} onClose={saving.close} />}
    </Button.Group>
  );
}

/** Shows a finished run as a test, to be copied into the file of its workflow. */
function SaveAsTest({ run, onClose }: { run: Execution; onClose: () => void }) {
  const whole = useQuery(wholeRunQuery(run.id));
  const version = useQuery(versionQuery(run.workflowId, run.workflowVersionId));
  const types = useQuery(nodeTypesQuery).data;
  return (
    <Dialog onClose={onClose} title={i18n.t('Save as a test')} size="lg">
      {version.isError ? (
        <Broken error={version.error} reset={() => void version.refetch()} />
      ) : whole.isError ? (
        <Broken error={whole.error} reset={() => void whole.refetch()} />
      ) : whole.data && version.data && types ? (
        <Stack gap="sm">
          <Text size="sm">
            {i18n.t(
              'Put it below "tests:" in the file of the workflow, and run it with "deckhand test". Variables that the workflow reads are missing; a node in a loop has the output of its last iteration.',
            )}
          </Text>
          <CopyText
            label={i18n.t({ id: 'noun: Test', message: 'Test' })}
            text={testAsYaml(toTest(whole.data, version.data.definition, types))}
          />
        </Stack>
      ) : (
        <Loading />
      )}
    </Dialog>
  );
}
