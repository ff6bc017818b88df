import { type CreatedEventEndpoint, EVENT_TYPES, type EventType } from '@deckhand/contracts';
import { Modal, MultiSelect, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { createEventEndpoint } from '../../api/event-endpoints.js';
import { FormFooter } from '../../components/form-footer.js';

/** Creates an event endpoint. */
export function CreateEndpoint({
  workspaceId,
  onCreated,
  onClose,
}: {
  workspaceId: string;
  onCreated: (created: CreatedEventEndpoint) => void;
  onClose: () => void;
}) {
  const [url, setUrl] = useState('');
  const [description, setDescription] = useState('');
  const [types, setTypes] = useState<readonly EventType[]>([]);
  const creation = useMutation({
    mutationFn: () =>
      createEventEndpoint({ workspaceId, url, description, ...(types.length > 0 && { eventTypes: [...types] }) }),
    onSuccess: onCreated,
  });
  return (
    <Modal opened onClose={onClose} title="New event endpoint" closeButtonProps={{ 'aria-label': 'Close' }}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          creation.mutate();
        }}
      >
        <Stack>
          <TextInput
            label="URL"
            type="url"
            required
            maxLength={2_048}
            placeholder="https://example.com/events"
            data-autofocus
            value={url}
            onChange={(event) => setUrl(event.currentTarget.value)}
          />
          <TextInput
            label="Description"
            maxLength={500}
            value={description}
            onChange={(event) => setDescription(event.currentTarget.value)}
          />
          <MultiSelect
            label="Events"
            searchable
            description="Leave empty for all"
            data={[...EVENT_TYPES]}
            value={[...types]}
            onChange={(values) => setTypes(EVENT_TYPES.filter((type) => values.includes(type)))}
          />
          <FormFooter
            error={creation.error}
            submit="Create endpoint"
            isPending={creation.isPending}
            onCancel={onClose}
          />
        </Stack>
      </form>
    </Modal>
  );
}
