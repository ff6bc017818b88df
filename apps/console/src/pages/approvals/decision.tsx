import type { ApprovalEntry } from '@deckhand/contracts';
import { Button, Group, Stack, Textarea } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { submitApproval } from '../../api/approvals.js';
import { notify } from '../../components/notice-board.js';
import { Problem } from '../../components/problem.js';

/** Labels of the choices of an approval whose author named none; other choices are shown as named. */
const DEFAULT_CHOICES: Readonly<Record<string, { readonly action: string; readonly outcome: string }>> = {
  approved: { action: 'Approve', outcome: 'Approved' },
  rejected: { action: 'Reject', outcome: 'Rejected' },
};

function outcomeOf(decision: string): string {
  return DEFAULT_CHOICES[decision]?.outcome ?? `Decision submitted: ${decision}`;
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
      notify(`${outcomeOf(decision)}. Run resumed.`);
      await queryClient.invalidateQueries({ queryKey: ['approvals'] });
    },
  });
  return (
    <Stack gap="sm">
      <Textarea
        label="Comment"
        description="Saved with the decision"
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
