import type { Definition, Workflow } from '@deckhand/contracts';
import { Button, Drawer, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { versionQuery, versionsQuery } from '../api/workflows.js';
import { Loading } from '../parts/loading.js';
import { Moment } from '../parts/moment.js';
import { Problem } from '../parts/problem.js';

/** The saved versions; any of them can be taken up again, which is an edit like others until it is saved. */
export function Versions({
  workflow,
  isOpen,
  onClose,
  onTake,
}: {
  workflow: Workflow;
  isOpen: boolean;
  onClose: () => void;
  onTake: (definition: Definition) => void;
}) {
  const queryClient = useQueryClient();
  const versions = useQuery({ ...versionsQuery(workflow.id), enabled: isOpen });
  const take = useMutation({
    mutationFn: (versionId: string) => queryClient.query(versionQuery(workflow.id, versionId)),
    onSuccess({ definition }) {
      onTake(definition);
      onClose();
    },
  });
  return (
    <Drawer
      opened={isOpen}
      onClose={onClose}
      position="right"
      title="Versions"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Problem error={versions.error ?? take.error} />
      {versions.isPending ? (
        <Loading />
      ) : (
        <Stack gap="sm">
          {versions.data?.data.map(({ workflowVersionId, number, comment, createdAt }) => (
            <Group key={workflowVersionId} justify="space-between" wrap="nowrap">
              <div>
                <Text size="sm" fw={600}>
                  Version {number}
                  {workflowVersionId === workflow.latestVersionId && ', the latest'}
                  {workflowVersionId === workflow.activeVersionId && ', active'}
                </Text>
                <Text size="xs" c="dimmed">
                  <Moment at={createdAt} /> {comment}
                </Text>
              </div>
              <Button
                variant="default"
                size="xs"
                loading={take.isPending && take.variables === workflowVersionId}
                onClick={() => take.mutate(workflowVersionId)}
              >
                Take up
              </Button>
            </Group>
          ))}
        </Stack>
      )}
    </Drawer>
  );
}
