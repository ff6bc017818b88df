import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { i18n } from '../language/i18n.ts';
import { notifyProblem } from './notice-board.ts';

/** Sends an event again. @param type of the event, for screen readers. */
export function ReplayButton({
  type,
  replay,
  onSettled,
}: {
  type: string;
  replay: () => Promise<unknown>;
  onSettled: () => Promise<void>;
}) {
  const replaying = useMutation({ mutationFn: replay, onError: notifyProblem, onSettled });
  return (
    <Button
      variant="default"
      size="compact-sm"
      aria-label={i18n.t('Replay {type}', { type })}
      loading={replaying.isPending}
      onClick={() => replaying.mutate()}
    >
      {i18n.t('Replay')}
    </Button>
  );
}
