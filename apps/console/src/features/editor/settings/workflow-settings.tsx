import type { CancelRule, Definition } from '@deckhand/contracts';
import { Group, Select, Text, TextInput } from '@mantine/core';
import { hashKey } from '@tanstack/react-query';
import { Dialog } from '../../../components/dialog.tsx';
import { DialogForm, type Fields } from '../../../components/form-dialog.tsx';
import { issueAt } from '../../../forms/issue-at.ts';
import { LimitInput } from '../../../forms/number-field.tsx';
import { i18n } from '../../../language/i18n.ts';
import { definitionOf, refusalOf } from '../model/editor-model.ts';
import { useEditor, useEditorSession } from '../model/editor-session.tsx';
import { changeSettings } from '../model/edits.ts';
import { CancelRules } from './cancel-rules.tsx';
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

/** The settings as the form has them; null for what has no limit. */
interface SettingFields {
  readonly timeoutSeconds: number | null;
  readonly runsAtOnce: number | null;
  /** Of webhook requests. */
  readonly max: number | null;
  readonly windowSeconds: number | null;
  readonly key: string;
  /** Of runs with the same key. */
  readonly limit: number | null;
  readonly onLimit: (typeof ON_LIMIT)[number];
  readonly tool: Settings['mcp'];
  readonly cancelOn: readonly CancelRule[];
}

/** The settings of the workflow. They are part of its definition: saved with it, and undone like any other change. */
export function WorkflowSettings() {
  const { model } = useEditorSession();
  const isOpen = useEditor(({ dialog }) => dialog?.kind === 'settings');
  const settings = useEditor((state) => definitionOf(state).settings) ?? {};
  const refusal = useEditor(refusalOf);
  const close = (): void => model.close('settings');
  return (
    <Dialog isOpen={isOpen} onClose={close} title={i18n.t('Workflow settings')}>
      <DialogForm
        initial={toFields(settings)}
        submit={i18n.t('Apply')}
        act={(fields) => {
          const next = toSettings(fields, settings);
          if (hashKey([next]) !== hashKey([settings])) model.apply((before) => changeSettings(before, next));
          close();
        }}
        onCancel={close}
      >
        {(fields) => <SettingInputs {...fields} refusal={refusal} />}
      </DialogForm>
    </Dialog>
  );
}

function toFields(settings: Settings): SettingFields {
  const { concurrency, rateLimit } = settings;
  return {
    timeoutSeconds: settings.timeoutSeconds ?? null,
    runsAtOnce: settings.maxConcurrentExecutions ?? null,
    max: rateLimit?.max ?? null,
    windowSeconds: rateLimit?.windowSeconds ?? null,
    key: concurrency?.key ?? '',
    limit: concurrency ? (concurrency.limit ?? 1) : null,
    onLimit: concurrency?.onLimit ?? 'queue',
    tool: settings.mcp,
    cancelOn: settings.cancelOn ?? [],
  };
}

function toSettings(fields: SettingFields, { concurrency: before }: Settings): Settings {
  const { timeoutSeconds, runsAtOnce, max, windowSeconds, key, limit, onLimit, tool, cancelOn } = fields;
  const named = cancelOn.filter(({ name }) => name !== '');
  return {
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
  };
}

/** The inputs. @param refusal the refusal of the last save, whose issues are shown at their inputs. */
function SettingInputs({
  values: { limit, cancelOn, tool },
  set,
  text,
  field,
  choice,
  refusal,
}: Fields<SettingFields> & { refusal: unknown }) {
  return (
    <>
      <LimitInput
        label={i18n.t('Run timeout (seconds)')}
        description={i18n.t('Longer runs time out')}
        placeholder={i18n.t('Default of the instance')}
        error={issueAt(refusal, PATHS.timeoutSeconds)}
        {...field('timeoutSeconds')}
      />
      <LimitInput
        label={i18n.t('Max concurrent runs')}
        description={i18n.t('Further runs are queued')}
        placeholder={i18n.t('No limit')}
        error={issueAt(refusal, PATHS.runsAtOnce)}
        {...field('runsAtOnce')}
      />
      <Group grow align="flex-start" preventGrowOverflow={false}>
        <LimitInput
          label={i18n.t('Runs per key')}
          description={i18n.t('Unfinished runs, also waiting ones')}
          placeholder={i18n.t('No limit')}
          error={issueAt(refusal, PATHS.limit)}
          {...field('limit')}
        />
        <TextInput
          label={i18n.t('Concurrency key')}
          description={i18n.t('May contain {expression}', { expression: '{{ $trigger.… }}' })}
          placeholder={i18n.t('All runs')}
          maxLength={2_000}
          disabled={limit === null}
          error={issueAt(refusal, PATHS.key)}
          {...text('key')}
        />
      </Group>
      {limit !== null && (
        <Select
          label={i18n.t('At the limit')}
          allowDeselect={false}
          data={ON_LIMIT.map((value) => ({ value, label: ON_LIMIT_LABELS[value] }))}
          {...choice('onLimit', ON_LIMIT)}
        />
      )}
      <Group grow align="flex-start" preventGrowOverflow={false}>
        <LimitInput
          label={i18n.t('Webhook requests')}
          description={i18n.t('Further requests are refused')}
          placeholder={i18n.t('No limit')}
          error={issueAt(refusal, PATHS.max)}
          {...field('max')}
        />
        <LimitInput
          label={i18n.t('Per seconds')}
          description={i18n.t('Length of the period')}
          placeholder={String(MINUTE)}
          error={issueAt(refusal, PATHS.windowSeconds)}
          {...field('windowSeconds')}
        />
      </Group>
      <CancelRules rules={cancelOn} error={refusal} onChange={(rules) => set({ cancelOn: rules })} />
      <ToolFields tool={tool} error={refusal} onChange={(next) => set({ tool: next })} />
      <Text size="sm" c="dimmed">
        {i18n.t('They apply to new runs once the workflow is saved.')}
      </Text>
    </>
  );
}
