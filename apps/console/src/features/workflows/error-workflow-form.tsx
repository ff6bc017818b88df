import { NO_ERROR_WORKFLOW } from '@deckhand/contracts';
import { FormDialog } from '../../components/form-dialog.tsx';
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
  return (
    <FormDialog
      title={title}
      initial={{ chosen: value ?? OF_WORKSPACE }}
      submit={i18n.t('Save')}
      act={({ chosen }) => act(chosen === OF_WORKSPACE ? null : chosen)}
      onClose={onClose}
    >
      {({ field }) => (
        <ErrorWorkflowSelect
          label={i18n.t('When a run fails or times out, start')}
          description={i18n.t('Its active version gets the failed run, its error and the failed node')}
          fixed={[
            { value: OF_WORKSPACE, label: i18n.t('The error workflow of the workspace') },
            { value: NO_ERROR_WORKFLOW, label: i18n.t('No workflow') },
          ]}
          {...field('chosen')}
        />
      )}
    </FormDialog>
  );
}
