import type { Definition, Execution, NodeDefinition } from '@deckhand/contracts';
import { Button, Checkbox, CloseButton, Group, Input, Select, Stack, Text, TextInput, Title } from '@mantine/core';
import { Trash2 } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import { FormBuilder } from '../form-builder/form-builder.tsx';
import { FieldInput, type FieldInputProps } from '../forms/field-input.tsx';
import { NumberField } from '../forms/number-field.tsx';
import { ExpressionFormContext } from '../forms/sample-data.ts';
import { SchemaForm } from '../forms/schema-form.tsx';
import type { NodeTypes } from '../graph/handles.ts';
import { markCode } from '../components/mark-code.tsx';
import { i18n } from '../language/i18n.ts';
import { BackOffFields } from './back-off-fields.tsx';
import { Connections } from './connections.tsx';
import { CredentialSelect } from './credential-select.tsx';
import { effectOfDisabling } from './effect-of-disabling.ts';
import { changeNode, removeNodes } from './edits.ts';
import type { DescribedIssue } from './issues.ts';
import classes from './node-form.module.css';
import type { Insertion } from './use-insertion.ts';
import { useSampleData } from './use-sample-data.ts';

const ON_ERROR = [
  { value: 'stop', label: i18n.t('Stop the run') },
  { value: 'continue', label: i18n.t('Continue with error output') },
  { value: 'branch', label: i18n.t('Route to error branch') },
];

const ON_INTERRUPT = [
  { value: 'rerun', label: i18n.t('Run it again') },
  { value: 'fail', label: i18n.t('Fail') },
];

/** The form of a node: parameters, error handling and settings. */
export function NodeForm({
  definition,
  node,
  types,
  workspaceId,
  workflowId,
  issues,
  shown,
  insertion: { onFocus, onBlur },
  isReadOnly,
  onEdit,
  onClose,
  children,
}: {
  definition: Definition;
  node: NodeDefinition;
  types: NodeTypes;
  workspaceId: string;
  workflowId: string;
  /** The issues of the last save. */
  issues: readonly DescribedIssue[];
  /** The run on the canvas, whose data previews of expressions use. */
  shown: Execution | undefined;
  insertion: Pick<Insertion, 'onFocus' | 'onBlur'>;
  isReadOnly: boolean;
  onEdit: (change: (definition: Definition) => Definition, step?: string) => void;
  onClose: () => void;
  /** Further fields, above the others. */
  children?: ReactNode;
}) {
  const type = types.get(node.type);
  const data = useSampleData(definition, node.id, { workflowId, workspaceId, shown });
  const form = useMemo(() => ({ data, isReadOnly, onFocus, onBlur }), [data, isReadOnly, onFocus, onBlur]);
  const own = issues.filter(({ nodeId }) => nodeId === node.id);
  const byParameter = new Map(
    own.flatMap(({ parameter, text }): [string, string][] => (parameter === undefined ? [] : [[parameter, text]])),
  );
  const elsewhere = own.filter(({ parameter }) => parameter === undefined);
  const change = (next: Partial<NodeDefinition>, step: string): void =>
    onEdit((before) => changeNode(before, node.id, (old) => withoutNothing({ ...old, ...next })), `${node.id} ${step}`);
  return (
    <Stack gap="md">
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <div>
          <Title order={2} size="h5">
            {type?.title ?? node.type}
          </Title>
          <Text size="xs" c="dimmed">
            {i18n.t('Id {id}', { id: node.id })}
          </Text>
        </div>
        <CloseButton aria-label={i18n.t('Close')} onClick={onClose} />
      </Group>
      <fieldset disabled={isReadOnly} className={classes.fields}>
        <Stack gap="md">
          {children}
          {elsewhere.map(({ text }) => (
            <Input.Error key={text} role="alert">
              {text}
            </Input.Error>
          ))}
          {type && (
            <Text size="sm" c="dimmed">
              {markCode(type.description)}
            </Text>
          )}
          <TextInput
            label={i18n.t('Name')}
            maxLength={200}
            value={node.name ?? ''}
            onChange={(event) => change({ name: event.currentTarget.value }, 'name')}
          />
          {type && type.credentialTypes.length > 0 && (
            <CredentialSelect
              workspaceId={workspaceId}
              types={type.credentialTypes}
              value={node.credentialId}
              onChange={(credentialId) =>
                onEdit((before) =>
                  changeNode(before, node.id, ({ credentialId: _, ...old }) =>
                    credentialId === undefined ? old : { ...old, credentialId },
                  ),
                )
              }
            />
          )}
          {type && (
            <ExpressionFormContext value={form}>
              <SchemaForm
                schema={type.parameters}
                value={node.parameters ?? {}}
                issues={byParameter}
                renderInput={renderParameter}
                onChange={(parameters, name) => change({ parameters }, name)}
              />
            </ExpressionFormContext>
          )}
          <Connections definition={definition} node={node} types={types} onEdit={onEdit} />
          <details>
            <summary>{i18n.t('Error handling & settings')}</summary>
            <Stack gap="sm" mt="sm">
              <Select
                label={i18n.t('On error')}
                data={ON_ERROR}
                allowDeselect={false}
                value={node.onError ?? 'stop'}
                onChange={(value) => {
                  if (value === 'stop' || value === 'continue' || value === 'branch')
                    change({ onError: value }, 'onError');
                }}
              />
              <NumberField
                label={i18n.t('Max attempts')}
                description={i18n.t('Including the first')}
                min={1}
                max={10}
                allowDecimal={false}
                value={node.retry?.maxAttempts ?? 1}
                onChange={(value) => {
                  if (value !== null) change({ retry: { ...node.retry, maxAttempts: value } }, 'retry');
                }}
              />
              {(node.retry?.maxAttempts ?? 1) > 1 && (
                <BackOffFields retry={node.retry} onChange={(retry) => change({ retry }, 'retry')} />
              )}
              <NumberField
                label={i18n.t('Timeout (seconds)')}
                min={0.001}
                max={86_400}
                value={node.timeoutSeconds ?? null}
                onChange={(value) =>
                  onEdit((before) =>
                    changeNode(before, node.id, ({ timeoutSeconds: _, ...old }) =>
                      value === null ? old : { ...old, timeoutSeconds: value },
                    ),
                  )
                }
              />
              <Select
                label={i18n.t('If its worker dies')}
                description={i18n.t('While the node runs')}
                data={ON_INTERRUPT}
                allowDeselect={false}
                value={node.onInterrupt ?? 'rerun'}
                onChange={(value) => {
                  if (value === 'rerun' || value === 'fail') change({ onInterrupt: value }, 'onInterrupt');
                }}
              />
              <Checkbox
                label={i18n.t('Disabled')}
                description={effectOfDisabling(node, types)}
                checked={node.disabled ?? false}
                onChange={(event) => change({ disabled: event.currentTarget.checked }, 'disabled')}
              />
            </Stack>
          </details>
          <Button
            variant="default"
            leftSection={<Trash2 size={15} aria-hidden />}
            onClick={() => {
              onEdit((before) => removeNodes(before, new Set([node.id])));
              onClose();
            }}
          >
            {i18n.t('Delete node')}
          </Button>
        </Stack>
      </fieldset>
    </Stack>
  );
}

function renderParameter(props: FieldInputProps): ReactNode {
  return props.field.kind.kind === 'form' ? <FormBuilder {...props} /> : <FieldInput {...props} />;
}

/** Removes settings that equal their defaults, so that definitions stay short. */
function withoutNothing(node: NodeDefinition): NodeDefinition {
  const { onError, onInterrupt, disabled, name, ...rest } = node;
  return {
    ...rest,
    ...(name === undefined || name === '' ? {} : { name }),
    ...(onError === undefined || onError === 'stop' ? {} : { onError }),
    ...(onInterrupt === undefined || onInterrupt === 'rerun' ? {} : { onInterrupt }),
    ...(disabled === true ? { disabled } : {}),
  };
}
