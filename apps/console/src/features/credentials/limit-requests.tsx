import type { CredentialEntry } from '@deckhand/contracts';
import { Modal, Stack } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { credentialsQuery, limitCredential, type Traffic } from '../../api/credentials.ts';
import { FormFooter } from '../../components/form-footer.tsx';
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
  const [traffic, setTraffic] = useState<Traffic>({
    rateLimit: rateLimit && { ...rateLimit },
    circuit: circuit && { ...circuit },
  });
  const saving = useMutation({
    mutationFn: () => limitCredential(id, traffic),
    async onSuccess() {
      await queryClient.invalidateQueries({ queryKey: credentialsQuery(workspaceId).queryKey });
      onClose();
    },
  });
  return (
    <Modal
      opened
      onClose={onClose}
      title={i18n.t('Requests with "{name}"', { name })}
      closeButtonProps={{ 'aria-label': i18n.t('Close') }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          saving.mutate();
        }}
      >
        <Stack>
          <TrafficFields traffic={traffic} onChange={setTraffic} />
          <FormFooter error={saving.error} submit={i18n.t('Save')} isPending={saving.isPending} onCancel={onClose} />
        </Stack>
      </form>
    </Modal>
  );
}
