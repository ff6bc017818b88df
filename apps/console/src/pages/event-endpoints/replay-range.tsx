import type { ReplayEventsBody } from '@deckhand/contracts';
import { Modal, Select, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { eventDeliveriesQuery, replayDeliveries } from '../../api/event-endpoints.js';
import { choice } from '../../app/search.js';
import { FormFooter } from '../../components/form-footer.js';
import { notify } from '../../components/notice-board.js';
import { fromLocalTime, toLocalTime } from '../../components/local-time.js';

const STATUSES = ['failed', 'delivered', 'all'] as const satisfies readonly ReplayEventsBody['status'][];
const LABELS = { failed: 'Failed', delivered: 'Delivered', all: 'Failed and delivered' } as const;

const DAY_MS = 86_400_000;

/** Asks for a time, and sends the events of that time again. */
export function ReplayRange({ endpointId, onClose }: { endpointId: string; onClose: () => void }) {
  const queryClient = useQueryClient();
  const [since, setSince] = useState<string | undefined>(() => new Date(Date.now() - DAY_MS).toISOString());
  const [until, setUntil] = useState<string | undefined>();
  const [status, setStatus] = useState<(typeof STATUSES)[number]>('failed');
  const replay = useMutation({
    mutationFn: (from: string) =>
      replayDeliveries(endpointId, { since: from, status, ...(until !== undefined && { until }) }),
    async onSuccess({ replayed, nextSince }) {
      await queryClient.invalidateQueries({ queryKey: eventDeliveriesQuery(endpointId).queryKey });
      if (nextSince !== null) {
        setSince(nextSince);
        return;
      }
      notify(replayed === 1 ? '1 event is sent again.' : `${replayed.toLocaleString('en')} events are sent again.`);
      onClose();
    },
  });
  const isPart = replay.data !== undefined && replay.data.nextSince !== null;
  return (
    <Modal opened onClose={onClose} title="Replay deliveries" closeButtonProps={{ 'aria-label': 'Close' }}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (since !== undefined) replay.mutate(since);
        }}
      >
        <Stack>
          <TextInput
            label="From"
            type="datetime-local"
            required
            value={toLocalTime(since)}
            onChange={({ currentTarget: { value } }) => setSince(fromLocalTime(value))}
          />
          <TextInput
            label="To"
            description="Leave empty for now"
            type="datetime-local"
            value={toLocalTime(until)}
            onChange={({ currentTarget: { value } }) => setUntil(fromLocalTime(value))}
          />
          <Select
            label="Deliveries"
            allowDeselect={false}
            data={STATUSES.map((value) => ({ value, label: LABELS[value] }))}
            value={status}
            onChange={(value) => setStatus(choice(STATUSES, value) ?? 'failed')}
          />
          <Text size="sm" role="status">
            {isPart
              ? `${replay.data.replayed.toLocaleString('en')} events are sent again. Replay once more for the rest.`
              : 'Receivers recognize an event that they already have by its webhook-id.'}
          </Text>
          <FormFooter error={replay.error} submit="Replay" isPending={replay.isPending} onCancel={onClose} />
        </Stack>
      </form>
    </Modal>
  );
}
