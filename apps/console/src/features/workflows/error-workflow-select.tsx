import { WorkflowSelect } from '../../forms/workflow-select.tsx';

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
  /** Choices that are not workflow, the default one first. */
  fixed: readonly { readonly value: string; readonly label: string }[];
  value: string;
  isReadOnly?: boolean;
  onChange: (value: string) => void;
}) {
  return (
    <WorkflowSelect
      label={label}
      description={description}
      allowDeselect={false}
      disabled={isReadOnly}
      fixed={fixed}
      value={value}
      onChange={(next) => onChange(next ?? fixed[0]?.value ?? '')}
    />
  );
}
