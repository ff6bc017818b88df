import { NO_ERROR_WORKFLOW } from '@deckhand/contracts';
import { Modal, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { FormFooter } from '../../components/form-footer.tsx';
import { i18n } from '../../language/i18n.ts';
import { ErrorWorkflowSelect } from './error-workflow-select.tsx';

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
  const [chosen, setChosen] = useState(value ?? OF_WORKSPACE);
  const saving = useMutation({ mutationFn: act, onSuccess: onClose });
  return (
    <Modal opened onClose={onClose} title={title} closeButtonProps={{ 'aria-label': i18n.t('Close') }}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          saving.mutate(chosen === OF_WORKSPACE ? null : chosen);
        }}
      >
        <Stack>
          <ErrorWorkflowSelect
            label={i18n.t('When a run fails or times out, start')}
            description={i18n.t('Its active version gets the failed run, its error and the failed node')}
            fixed={[
              { value: OF_WORKSPACE, label: i18n.t('The error workflow of the workspace') },
              { value: NO_ERROR_WORKFLOW, label: i18n.t('No workflow') },
            ]}
            value={chosen}
            onChange={setChosen}
          />
          <FormFooter error={saving.error} submit={i18n.t('Save')} isPending={saving.isPending} onCancel={onClose} />
        </Stack>
      </form>
    </Modal>
  );
}
