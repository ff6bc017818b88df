import {
  CONNECTOR_NAME,
  CONNECTOR_OPERATION,
  CONNECTOR_VERSION,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type NodeDefinition,
  type OperationDetails,
} from '@deckhand/contracts';
import { Fieldset, Input, Select, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { connectorsQuery, operationQuery, operationsQuery } from '../../../api/connectors.ts';
import { ExpressionInput } from '../../../forms/expression-input.tsx';
import { FieldInput, type FieldInputProps } from '../../../forms/field-input.tsx';
import { FieldList } from '../../../forms/field-list.tsx';
import { type Field, toFields, withMember } from '../../../forms/schema.ts';
import { isExpression } from '../../../forms/values.ts';
import { i18n } from '../../../language/i18n.ts';
import { ChoiceInput } from './choice-input.tsx';

/** Where values of an operation go, in words. */
const PLACES: Readonly<Record<string, string>> = {
  server: i18n.t('Server'),
  path: i18n.t('Path'),
  query: i18n.t('Query'),
  header: i18n.t('Headers'),
  cookie: i18n.t('Cookies'),
  body: i18n.t('Body'),
};

/** A connector node, and how its parameters change. */
interface ConnectorNode {
  readonly workspaceId: string;
  readonly workflowId: string;
  readonly node: NodeDefinition;
  readonly onParameters: (parameters: JsonObject, step: string) => void;
}

/** An input of a parameter of a connector node; undefined for one that is as those of other nodes. */
export function connectorInput(of: ConnectorNode, props: FieldInputProps) {
  switch (props.field.name) {
    case 'connector':
      return <ServiceInput {...of} {...props} />;
    case 'version':
      return <VersionInput {...of} {...props} />;
    case 'operation':
      return <OperationInput {...of} {...props} />;
    case 'values':
      return <ValuesInput {...of} {...props} />;
    default:
      return undefined;
  }
}

/** Selects one of some texts. Another text that the node has, and an expression, is kept. */
function OneOf({
  field: { label, description, isRequired },
  value,
  options,
  onChange,
}: FieldInputProps & { options: readonly { readonly value: string; readonly label: string }[] }) {
  const text = typeof value === 'string' ? value : null;
  const common = { label, description, required: isRequired };
  if (isExpression(value))
    return <ExpressionInput {...common} value={value} onChange={(next) => onChange(next === '' ? undefined : next)} />;
  const isListed = text === null || options.some((option) => option.value === text);
  return (
    <Select
      {...common}
      searchable
      data={isListed ? options : [...options, { value: text, label: text }]}
      value={text}
      onSearchChange={(typed) => {
        if (isExpression(typed)) onChange(typed);
      }}
      onChange={(next) => onChange(next ?? undefined)}
    />
  );
}

function ServiceInput({ workspaceId, node, onParameters, ...props }: ConnectorNode & FieldInputProps) {
  const connectors = useQuery(connectorsQuery(workspaceId)).data?.data ?? [];
  const newest = new Map(connectors.toReversed().map((each) => [each.name, each]));
  const options = [...newest.values()].map(({ name, title }) => ({ value: name, label: title }));
  return (
    <OneOf
      {...props}
      options={options.toSorted((one, other) => one.label.localeCompare(other.label))}
      onChange={(name) => {
        const found = typeof name === 'string' ? newest.get(name) : undefined;
        if (!found) props.onChange(name);
        else onParameters({ ...node.parameters, connector: found.name, version: found.version }, 'connector');
      }}
    />
  );
}

function VersionInput({ workspaceId, node, ...props }: ConnectorNode & FieldInputProps) {
  const connectors = useQuery(connectorsQuery(workspaceId)).data?.data ?? [];
  const versions = connectors.filter(({ name }) => name === node.parameters?.connector);
  const options = versions.map(({ version }) => ({ value: version, label: version }));
  return <OneOf {...props} options={options} />;
}

function OperationInput({ workspaceId, node, ...props }: ConnectorNode & FieldInputProps) {
  const of = versionOf(workspaceId, node);
  const { data } = useQuery({ ...operationsQuery(of ?? NO_VERSION), enabled: of !== undefined });
  const options = (data?.data ?? []).map(({ id, title }) => ({ value: id, label: title }));
  return <OneOf {...props} options={options} />;
}

/** The form of the values of an operation, by place; JSON until the operation is known. */
function ValuesInput({ workspaceId, workflowId, node, onParameters, ...props }: ConnectorNode & FieldInputProps) {
  const of = versionOf(workspaceId, node);
  const operation = node.parameters?.operation;
  const isKnown = of !== undefined && isMatching(CONNECTOR_OPERATION, operation);
  const { data } = useQuery({
    ...operationQuery(of ?? NO_VERSION, typeof operation === 'string' ? operation : ''),
    enabled: isKnown,
  });
  const { value = {} } = props;
  if (!data || !isJsonObject(value)) return <FieldInput {...props} />;
  return <Places {...props} value={value} details={data} of={{ workspaceId, workflowId, node, onParameters }} />;
}

function Places({
  field,
  value,
  details,
  of: { workspaceId, workflowId, node },
  onChange,
}: Omit<FieldInputProps, 'value'> & { value: JsonObject; details: OperationDetails; of: ConnectorNode }) {
  const places = useMemo(() => placesOf(details), [details]);
  const { credentialId } = node;
  const requestFor = (place: string, name: string) => {
    if (credentialId === undefined) return null;
    const { connector, version, id: operation } = details;
    // Without its own value, so that a choice is not a reason to read the list again.
    const values = withoutField(value, place, name);
    return {
      ...{ workspaceId, workflowId, credentialId, connector, version, operation },
      ...{ field: `${place}.${name}`, values },
    };
  };
  const change = (place: string, members: JsonValue | undefined, name: string): void => {
    const isEmpty = members !== undefined && isJsonObject(members) && Object.keys(members).length === 0;
    onChange(withMember(value, place, isEmpty ? undefined : members), `${place}.${name}`);
  };
  return (
    <Input.Wrapper label={field.label} labelElement="div">
      <Stack gap="sm">
        {places.map(({ place, label, fields }) => {
          const given = Object.hasOwn(value, place) ? value[place] : {};
          return (
            <Fieldset key={place} legend={label}>
              {fields.length > 0 && given !== undefined && isJsonObject(given) ? (
                <FieldList
                  fields={fields}
                  value={given}
                  renderInput={(props) => {
                    const path = `${place}.${props.field.name}`;
                    const isListed = Object.hasOwn(details.options, path) && TYPED.has(props.field.kind.kind);
                    return isListed ? (
                      <ChoiceInput {...props} request={requestFor(place, props.field.name)} />
                    ) : (
                      <FieldInput {...props} />
                    );
                  }}
                  onChange={(members, name) => change(place, members, name)}
                />
              ) : (
                <FieldInput
                  field={{ ...field, name: place, label, description: '', kind: { kind: 'json' } }}
                  value={given}
                  onChange={(next) => change(place, next, '')}
                />
              )}
            </Fieldset>
          );
        })}
      </Stack>
    </Input.Wrapper>
  );
}

function withoutField(values: JsonObject, place: string, name: string): JsonObject {
  const members = values[place];
  if (members === undefined || !isJsonObject(members)) return values;
  const others = withMember(members, name, undefined);
  return withMember(values, place, Object.keys(others).length === 0 ? undefined : others);
}

/** Kinds of fields with one value, for which choices can be listed. */
const TYPED: ReadonlySet<string> = new Set(['text', 'number', 'json']);

function placesOf({ schema }: OperationDetails): { place: string; label: string; fields: readonly Field[] }[] {
  const { properties } = schema;
  return Object.entries(isJsonObject(properties) ? properties : {}).map(([place, members]) => ({
    ...{ place, label: PLACES[place] ?? place },
    fields: isJsonObject(members) ? toFields(members) : [],
  }));
}

const NO_VERSION = { workspaceId: '', connector: '', version: '' };

/** Returns the version of the connector that a node names; undefined while it names none, or an expression does. */
function versionOf(workspaceId: string, { parameters = {} }: NodeDefinition) {
  const { connector, version } = parameters;
  if (!isMatching(CONNECTOR_NAME, connector) || !isMatching(CONNECTOR_VERSION, version)) return undefined;
  return { workspaceId, connector, version };
}

/** Whether a value is a name that the API knows, and not an expression or something else that would be another path. */
function isMatching(pattern: string, value: JsonValue | undefined): value is string {
  return typeof value === 'string' && new RegExp(pattern).test(value);
}
