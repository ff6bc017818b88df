import type { CancelRule, Definition } from '@deckhand/contracts';
import { Group, Modal, Select, Stack, Text, TextInput } from '@mantine/core';
import { hashKey } from '@tanstack/react-query';
import { useState } from 'react';
import { choice } from '../../../app/search.ts';
import { issueAt } from '../../../forms/issue-at.ts';
import { LimitInput } from '../../../forms/limit-input.tsx';
import { FormFooter } from '../../../components/form-footer.tsx';
import { i18n } from '../../../language/i18n.ts';
import { CancelRules } from './cancel-rules.tsx';
import { definitionOf, refusalOf } from '../model/editor-model.ts';
import { useEditor, useEditorSession } from '../model/editor-session.tsx';
import { changeSettings } from '../model/edits.ts';
import { PATHS } from './setting-paths.ts';
import { ToolFields } from './tool-fields.tsx';

type Settings = NonNullable<Definition['settings']>;

/** What happens to a start at the limit of its key. */
const ON_LIMIT = ['queue', 'cancelOldest', 'reject'] as const;
const ON_LIMIT_LABELS = {
  queue: i18n.t('Queue the run'),
  cancelOldest: i18n.t('Stop the oldest run'),
  reject: i18n.t('Reject the start'),
} as const;

/** Default period of a rate limit, in seconds. */
const MINUTE = 60;

/** The settings of the workflow. They are part of its definition: saved with it, and undone like any other change. */
export function WorkflowSettings() {
  const { model } = useEditorSession();
  const isOpen = useEditor(({ dialog }) => dialog?.kind === 'settings');
  const settings = useEditor((state) => definitionOf(state).settings) ?? {};
  const refusal = useEditor(refusalOf);
  const onClose = (): void => model.close('settings');
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={i18n.t('Workflow settings')}
      closeButtonProps={{ 'aria-label': i18n.t('Close') }}
    >
      <Fields
        settings={settings}
        error={refusal}
        onClose={onClose}
        onApply={(next) => {
          if (hashKey([next]) !== hashKey([settings])) model.apply((before) => changeSettings(before, next));
          onClose();
        }}
      />
    </Modal>
  );
}

function Fields({
  settings,
  error,
  onClose,
  onApply,
}: {
  settings: Settings;
  error: unknown;
  onClose: () => void;
  onApply: (settings: Settings) => void;
}) {
  const before = settings.concurrency;
  const [timeoutSeconds, setTimeoutSeconds] = useState(settings.timeoutSeconds ?? null);
  const [runsAtOnce, setRunsAtOnce] = useState(settings.maxConcurrentExecutions ?? null);
  const [max, setMax] = useState(settings.rateLimit?.max ?? null);
  const [windowSeconds, setWindowSeconds] = useState(settings.rateLimit?.windowSeconds ?? null);
  const [key, setKey] = useState(before?.key ?? '');
  const [limit, setLimit] = useState(before ? (before.limit ?? 1) : null);
  const [onLimit, setOnLimit] = useState(before?.onLimit ?? 'queue');
  const [tool, setTool] = useState(settings.mcp);
  const [cancelOn, setCancelOn] = useState<readonly CancelRule[]>(settings.cancelOn ?? []);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const named = cancelOn.filter(({ name }) => name !== '');
        onApply({
          ...(tool && { mcp: tool }),
          ...(limit !== null && {
            concurrency: {
              ...(key !== '' && { key }),
              // A default that is not stated stays so.
              ...((!before || before.limit !== undefined || limit !== 1) && { limit }),
              ...((!before || before.onLimit !== undefined || onLimit !== 'queue') && { onLimit }),
            },
          }),
          ...(timeoutSeconds === null ? {} : { timeoutSeconds }),
          ...(max === null ? {} : { rateLimit: { max, windowSeconds: windowSeconds ?? MINUTE } }),
          ...(runsAtOnce === null ? {} : { maxConcurrentExecutions: runsAtOnce }),
          ...(named.length > 0 && { cancelOn: named }),
        });
      }}
    >
      <Stack>
        <LimitInput
          label={i18n.t('Run timeout (seconds)')}
          description={i18n.t('Longer runs time out')}
          placeholder={i18n.t('Default of the instance')}
          value={timeoutSeconds}
          error={issueAt(error, PATHS.timeoutSeconds)}
          onChange={setTimeoutSeconds}
        />
        <LimitInput
          label={i18n.t('Max concurrent runs')}
          description={i18n.t('Further runs are queued')}
          placeholder={i18n.t('No limit')}
          value={runsAtOnce}
          error={issueAt(error, PATHS.runsAtOnce)}
          onChange={setRunsAtOnce}
        />
        <Group grow align="flex-start" preventGrowOverflow={false}>
          <LimitInput
            label={i18n.t('Runs per key')}
            description={i18n.t('Unfinished runs, also waiting ones')}
            placeholder={i18n.t('No limit')}
            value={limit}
            error={issueAt(error, PATHS.limit)}
            onChange={setLimit}
          />
          <TextInput
            label={i18n.t('Concurrency key')}
            description={i18n.t('May contain {expression}', { expression: '{{ $trigger.… }}' })}
            placeholder={i18n.t('All runs')}
            maxLength={2_000}
            disabled={limit === null}
            value={key}
            error={issueAt(error, PATHS.key)}
            onChange={(event) => setKey(event.currentTarget.value)}
          />
        </Group>
        {limit !== null && (
          <Select
            label={i18n.t('At the limit')}
            allowDeselect={false}
            data={ON_LIMIT.map((value) => ({ value, label: ON_LIMIT_LABELS[value] }))}
            value={onLimit}
            onChange={(value) => setOnLimit(choice(ON_LIMIT, value) ?? 'queue')}
          />
        )}
        <Group grow align="flex-start" preventGrowOverflow={false}>
          <LimitInput
            label={i18n.t('Webhook requests')}
            description={i18n.t('Further requests are refused')}
            placeholder={i18n.t('No limit')}
            value={max}
            error={issueAt(error, PATHS.max)}
            onChange={setMax}
          />
          <LimitInput
            label={i18n.t('Per seconds')}
            description={i18n.t('Length of the period')}
            placeholder={String(MINUTE)}
            value={windowSeconds}
            error={issueAt(error, PATHS.windowSeconds)}
            onChange={setWindowSeconds}
          />
        </Group>
        <CancelRules rules={cancelOn} error={error} onChange={setCancelOn} />
        <ToolFields tool={tool} error={error} onChange={setTool} />
        <Text size="sm" c="dimmed">
          {i18n.t('They apply to new runs once the workflow is saved.')}
        </Text>
        <FormFooter error={null} submit={i18n.t('Apply')} isPending={false} onCancel={onClose} />
      </Stack>
    </form>
  );
}
