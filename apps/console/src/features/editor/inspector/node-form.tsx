import type { NodeDefinition } from '@deckhand/contracts';
import { Anchor, Button, CloseButton, Group, Input, MultiSelect, Stack, Text, TextInput, Title } from '@mantine/core';
import { Trash2 } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import { markCode } from '../../../components/mark-code.tsx';
import { FieldInput, type FieldInputProps } from '../../../forms/field-input.tsx';
import { ExpressionFormContext } from '../../../forms/sample-data.ts';
import { SchemaForm } from '../../../forms/schema-form.tsx';
import { outputHandles } from '../../../graph/handles.ts';
import { i18n } from '../../../language/i18n.ts';
import { FormBuilder } from '../../form-builder/form-builder.tsx';
import { definitionOf, issuesOf } from '../model/editor-model.ts';
import { useEditor, useEditorSession } from '../model/editor-session.tsx';
import { changeNode, connect } from '../model/edits.ts';
import { connectorInput } from './connector-form.tsx';
import { CredentialSelect } from './credential-select.tsx';
import { useInsertion } from './insertion.tsx';
import classes from './node-form.module.css';
import { NodeSettings } from './node-settings.tsx';
import { useSampleData } from './use-sample-data.ts';

/** The form of a node: parameters, error handling and settings. @param children further fields, above the others. */
export function NodeForm({ node, children }: { node: NodeDefinition; children?: ReactNode }) {
  const { workflow, model } = useEditorSession();
  const { onFocus, onBlur } = useInsertion();
  const isReadOnly = useEditor((state) => state.isReadOnly);
  const issues = useEditor(issuesOf);
  const type = model.types.get(node.type);
  const data = useSampleData(node.id);
  const form = useMemo(() => ({ data, isReadOnly, onFocus, onBlur }), [data, isReadOnly, onFocus, onBlur]);
  const own = issues.filter(({ nodeId }) => nodeId === node.id);
  const byParameter = new Map(
    own.flatMap(({ parameter, text }): [string, string][] => (parameter === undefined ? [] : [[parameter, text]])),
  );
  const elsewhere = own.filter(({ parameter }) => parameter === undefined);
  const edit = (change: (node: NodeDefinition) => NodeDefinition, step?: string): void =>
    model.apply((before) => changeNode(before, node.id, change), step);
  const change = (next: Partial<NodeDefinition>, step: string): void =>
    edit((old) => withoutNothing({ ...old, ...next }), `${node.id} ${step}`);
  const connector = {
    ...{ workspaceId: workflow.workspaceId, workflowId: workflow.id, node },
    onParameters: (parameters: NonNullable<NodeDefinition['parameters']>, step: string) => change({ parameters }, step),
  };
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
        <CloseButton aria-label={i18n.t('Close')} onClick={() => model.select()} />
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
              {markCode(type.description)}{' '}
              <Anchor href={`/docs/nodes/${type.type}`} target="_blank" size="sm" underline="always">
                {i18n.t('Documentation')}
              </Anchor>
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
              workspaceId={workflow.workspaceId}
              types={type.credentialTypes}
              value={node.credentialId}
              onChange={(credentialId) =>
                edit(({ credentialId: _, ...old }) => (credentialId === undefined ? old : { ...old, credentialId }))
              }
            />
          )}
          {type && (
            <ExpressionFormContext value={form}>
              <SchemaForm
                schema={type.parameters}
                inputs={type.form.inputs}
                shownFor={type.form.shownFor}
                value={node.parameters ?? {}}
                issues={byParameter}
                renderInput={(props) =>
                  (node.type === 'connector' ? connectorInput(connector, props) : undefined) ?? renderParameter(props)
                }
                onChange={(parameters, name) => change({ parameters }, name)}
              />
            </ExpressionFormContext>
          )}
          <Connections node={node} />
          <NodeSettings node={node} change={change} edit={edit} />
          <Button
            variant="default"
            leftSection={<Trash2 size={15} aria-hidden />}
            onClick={() => model.remove(new Set([node.id]))}
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

/** Connects the outputs of a node to next nodes by keyboard, as the canvas does by mouse. */
function Connections({ node }: { node: NodeDefinition }) {
  const { model } = useEditorSession();
  const { types } = model;
  const definition = useEditor(definitionOf);
  const targets = definition.nodes
    .filter(({ id, type }) => id !== node.id && types.get(type)?.isTrigger !== true)
    .map(({ id, name }) => ({ value: id, label: name ?? id }));
  const lead = (handle: string | undefined, ids: readonly string[]): void =>
    model.apply((before) => {
      const others = before.edges.filter((edge) => !(edge.source === node.id && edge.sourceHandle === handle));
      const edges = ids.map((target) => ({
        source: node.id,
        target,
        ...(handle === undefined ? {} : { sourceHandle: handle }),
      }));
      return edges.reduce(connect, { ...before, edges: others });
    });
  return outputHandles(node, types).map((handle) => (
    <MultiSelect
      key={handle ?? ''}
      label={handle === undefined ? i18n.t('Next step') : i18n.t('If {handle} →', { handle })}
      data={targets}
      searchable
      value={definition.edges
        .filter((edge) => edge.source === node.id && edge.sourceHandle === handle)
        .map(({ target }) => target)}
      onChange={(ids) => lead(handle, ids)}
    />
  ));
}
