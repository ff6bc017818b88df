import type { CredentialEntry } from '@deckhand/contracts';
import { useQueryClient } from '@tanstack/react-query';
import { credentialsQuery, limitCredential, type Traffic } from '../../api/credentials.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { i18n } from '../../language/i18n.ts';
import { TrafficFields } from './traffic-fields.tsx';

/** Changes the limits of the requests of a credential. */
export function LimitRequests({
  credential: { id, workspaceId, name, rateLimit, circuit },
  onClose,
}: {
  credential: CredentialEntry;
  onClose: () => void;
}) {
  const queryClient = useQueryClient();
  const traffic: Traffic = { rateLimit: rateLimit && { ...rateLimit }, circuit: circuit && { ...circuit } };
  return (
    <FormDialog
      title={i18n.t('Requests with "{name}"', { name })}
      initial={traffic}
      submit={i18n.t('Save')}
      act={async (values) => {
        await limitCredential(id, values);
        await queryClient.invalidateQueries({ queryKey: credentialsQuery(workspaceId).queryKey });
      }}
      onClose={onClose}
    >
      {({ values, set }) => <TrafficFields traffic={values} onChange={set} />}
    </FormDialog>
  );
}
