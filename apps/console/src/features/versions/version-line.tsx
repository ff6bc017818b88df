import type { VersionEntry } from '@deckhand/contracts';
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { membersQuery } from '../../api/members.ts';
import { useWorkspace } from '../../api/use-workspace.ts';
import { RelativeTime } from '../../components/relative-time.tsx';
import { nameAuthor } from './version-facts.ts';
import classes from './versions.module.css';

/** The comment of a version, with its author and time. */
export function VersionLine({ version: { comment, createdBy, createdAt } }: { version: VersionEntry }) {
  const { workspaceId, user } = useWorkspace();
  const { data: members } = useQuery(membersQuery(workspaceId));
  const author = nameAuthor(createdBy, members?.data, user.id);
  return (
    <>
      {comment !== '' && (
        <Text size="sm" className={classes.comment}>
          {comment}
        </Text>
      )}
      <Text size="xs" c="dimmed">
        {author}
        {author !== '' && ', '}
        <RelativeTime at={createdAt} />
      </Text>
    </>
  );
}
