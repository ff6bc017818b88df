import type { ReplayEventsBody } from '@deckhand/contracts';
import { Select, Stack, Text, TextInput } from '@mantine/core';
import { Dialog } from '../../components/dialog.tsx';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { eventDeliveriesQuery, replayDeliveries } from '../../api/event-endpoints.ts';
import { choice } from '../../app/search.ts';
import { FormFooter } from '../../components/form-footer.tsx';
import { notify } from '../../components/notice-board.ts';
import { fromLocalTime, toLocalTime } from '../../components/local-time.ts';
import { i18n } from '../../language/i18n.ts';

const STATUSES = ['failed', 'delivered', 'all'] as const satisfies readonly ReplayEventsBody['status'][];
const LABELS = {
  failed: i18n.t('Failed'),
  delivered: i18n.t('Delivered'),
  all: i18n.t('Failed and delivered'),
} as const;

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
      notify(
        i18n.t('{count, plural, one {# event is sent again.} other {# events are sent again.}}', { count: replayed }),
      );
      onClose();
    },
  });
  const isPart = replay.data !== undefined && replay.data.nextSince !== null;
  return (
    <Dialog onClose={onClose} title={i18n.t('Replay deliveries')}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (since !== undefined) replay.mutate(since);
        }}
      >
        <Stack>
          <TextInput
            label={i18n.t('From')}
            type="datetime-local"
            required
            value={toLocalTime(since)}
            onChange={({ currentTarget: { value } }) => setSince(fromLocalTime(value))}
          />
          <TextInput
            label={i18n.t({ id: 'time: To', message: 'To' })}
            description={i18n.t('Leave empty for now')}
            type="datetime-local"
            value={toLocalTime(until)}
            onChange={({ currentTarget: { value } }) => setUntil(fromLocalTime(value))}
          />
          <Select
            label={i18n.t('Deliveries')}
            allowDeselect={false}
            data={STATUSES.map((value) => ({ value, label: LABELS[value] }))}
            value={status}
            onChange={(value) => setStatus(choice(STATUSES, value) ?? 'failed')}
          />
          <Text size="sm" role="status">
            {isPart
              ? i18n.t('{count, number} events are sent again. Replay once more for the rest.', {
                  count: replay.data.replayed,
                })
              : i18n.t('Receivers recognize an event that they already have by its webhook-id.')}
          </Text>
          <FormFooter error={replay.error} submit={i18n.t('Replay')} isPending={replay.isPending} onCancel={onClose} />
        </Stack>
      </form>
    </Dialog>
  );
}
