import { NO_ERROR_WORKFLOW } from '@deckhand/contracts';
import { Modal, Select, Stack } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useWorkspace } from '../../api/use-workspace.js';
import { workflowNamesQuery } from '../../api/workflow-names.js';
import { FormFooter } from '../../components/form-footer.js';

const OF_WORKSPACE = 'workspace';

/** Asks for the workflow that is started when a run fails. */
export function ErrorWorkflowForm({
  title,
  value,
  act,
  onClose,
}: {
  title: string;
  /** Null for that of the workspace. */
  value: string | null;
  act: (errorWorkflowId: string | null) => Promise<unknown>;
  onClose: () => void;
}) {
  const { workspaceId } = useWorkspace();
  const names = useQuery(workflowNamesQuery(workspaceId)).data;
  const [chosen, setChosen] = useState(value ?? OF_WORKSPACE);
  const saving = useMutation({ mutationFn: act, onSuccess: onClose });
  const workflows = [...(names ?? [])].map(([id, name]) => ({ value: id, label: name }));
  const isGone = names !== undefined && value !== null && value !== NO_ERROR_WORKFLOW && !names.has(value);
  return (
    <Modal opened onClose={onClose} title={title} closeButtonProps={{ 'aria-label': 'Close' }}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          saving.mutate(chosen === OF_WORKSPACE ? null : chosen);
        }}
      >
        <Stack>
          <Select
            label="When a run fails or times out, start"
            description="Its active version gets the failed run, its error and the failed node"
            searchable
            allowDeselect={false}
            data={[
              { value: OF_WORKSPACE, label: 'The error workflow of the workspace' },
              { value: NO_ERROR_WORKFLOW, label: 'No workflow' },
              ...(isGone ? [{ value, label: 'A deleted workflow' }] : []),
              ...workflows,
            ]}
            value={chosen}
            onChange={(next) => setChosen(next ?? OF_WORKSPACE)}
          />
          <FormFooter error={saving.error} submit="Save" isPending={saving.isPending} onCancel={onClose} />
        </Stack>
      </form>
    </Modal>
  );
}
