import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useWorkspace } from '../api/use-workspace.js';
import { workflowNamesQuery } from '../api/workflow-names.js';
import { isExpression } from './values.js';

/** Selects a workflow of the workspace by its name. A typed expression or id is taken, too. */
export function WorkflowSelect({
  value,
  onChange,
  ...field
}: {
  label: string;
  description: ReactNode;
  required: boolean;
  value: string;
  onChange: (workflowId: string | undefined) => void;
}) {
  const { workspaceId } = useWorkspace();
  const names = useQuery(workflowNamesQuery(workspaceId)).data ?? new Map<string, string>();
  const options = [...names].map(([id, name]) => ({ value: id, label: name }));
  // One of another workspace, a deleted one, or one after the first names.
  const isUnknown = value !== '' && !names.has(value);
  return (
    <Select
      {...field}
      searchable
      clearable
      placeholder="Choose a workflow"
      nothingFoundMessage="No workflow has this name"
      data={isUnknown ? [...options, { value, label: value }] : options}
      value={value === '' ? null : value}
      onSearchChange={(text) => {
        if (isExpression(text) || UUID.test(text)) onChange(text);
      }}
      onChange={(id) => onChange(id ?? undefined)}
    />
  );
}

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;
