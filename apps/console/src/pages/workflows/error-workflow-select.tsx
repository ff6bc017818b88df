import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useWorkspace } from '../../api/use-workspace.js';
import { workflowNamesQuery } from '../../api/workflow-names.js';

/** A field for an error workflow: one of the workspace, or one of the fixed choices. */
export function ErrorWorkflowSelect({
  label,
  description,
  fixed,
  value,
  isReadOnly = false,
  onChange,
}: {
  label: string;
  description: string;
  /** Choices that are no workflow, the default one first. */
  fixed: readonly { readonly value: string; readonly label: string }[];
  value: string;
  isReadOnly?: boolean;
  onChange: (value: string) => void;
}) {
  const { workspaceId } = useWorkspace();
  const names = useQuery(workflowNamesQuery(workspaceId)).data;
  const isGone = names !== undefined && !names.has(value) && fixed.every((choice) => choice.value !== value);
  return (
    <Select
      label={label}
      description={description}
      searchable
      allowDeselect={false}
      disabled={isReadOnly}
      data={[
        ...fixed,
        ...(isGone ? [{ value, label: 'A deleted workflow' }] : []),
        ...[...(names ?? [])].map(([id, name]) => ({ value: id, label: name })),
      ]}
      value={value}
      onChange={(next) => onChange(next ?? fixed[0]?.value ?? '')}
    />
  );
}
