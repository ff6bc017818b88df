import type { ApprovalEntry } from '@deckhand/contracts';
import { Button, Group, Stack, Textarea } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { submitApproval } from '../../api/approvals.ts';
import { notify } from '../../components/notice-board.ts';
import { Problem } from '../../components/problem.tsx';
import { i18n } from '../../language/i18n.ts';

/** Labels of the choices of an approval whose author named none; other choices are shown as named. */
const DEFAULT_CHOICES: Readonly<Record<string, { readonly action: string; readonly outcome: string }>> = {
  approved: { action: i18n.t('Approve'), outcome: i18n.t('Approved. Run resumed.') },
  rejected: { action: i18n.t('Reject'), outcome: i18n.t('Rejected. Run resumed.') },
};

function outcomeOf(decision: string): string {
  return DEFAULT_CHOICES[decision]?.outcome ?? i18n.t('Decision submitted: {decision}. Run resumed.', { decision });
}

/** The choices of an approval, with a field for a comment that is saved with the decision. */
export function Decision({
  entry: { id: executionId, currentNodeId: nodeId, waitId, choices },
}: {
  entry: ApprovalEntry;
}) {
  const queryClient = useQueryClient();
  const [comment, setComment] = useState('');
  const submission = useMutation({
    mutationFn: (decision: string) =>
      submitApproval({ executionId, nodeId, waitId, decision, ...(comment === '' ? {} : { comment }) }),
    async onSuccess(_, decision) {
      notify(outcomeOf(decision));
      await queryClient.invalidateQueries({ queryKey: ['approvals'] });
    },
  });
  return (
    <Stack gap="sm">
      <Textarea
        label={i18n.t('Comment')}
        description={i18n.t('Saved with the decision')}
        autosize
        maxLength={10_000}
        value={comment}
        onChange={(event) => setComment(event.currentTarget.value)}
      />
      <Problem error={submission.error} />
      <Group gap="xs">
        {choices.map((choice, index) => (
          <Button
            key={choice}
            variant={index === 0 ? 'filled' : 'default'}
            loading={submission.isPending && submission.variables === choice}
            disabled={submission.isPending || submission.isSuccess}
            onClick={() => submission.mutate(choice)}
          >
            {DEFAULT_CHOICES[choice]?.action ?? choice}
          </Button>
        ))}
      </Group>
    </Stack>
  );
}
