import type { ApprovalEntry } from '@deckhand/contracts';
import { Button, Group, Stack, Textarea } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { submitApproval } from '../../api/approvals.js';
import { notify } from '../../components/notice-board.js';
import { Problem } from '../../components/problem.js';

/** The choices of an approval, with room for a comment that is kept with the decision. */
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
      notify(`Decided: ${decision}. The run goes on.`);
      await queryClient.invalidateQueries({ queryKey: ['approvals'] });
    },
  });
  return (
    <Stack gap="sm">
      <Textarea
        label="Comment"
        description="Kept with the decision"
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
            {choice}
          </Button>
        ))}
      </Group>
    </Stack>
  );
}
