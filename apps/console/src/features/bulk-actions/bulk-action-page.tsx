import type { BulkAction } from '@deckhand/contracts';
import { Trans } from '@lingui/react';
import { Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { bulkActionQuery } from '../../api/bulk-actions.ts';
import { Breadcrumbs } from '../../components/breadcrumbs.tsx';
import { Broken } from '../../components/broken.tsx';
import { type Columns, DataTable } from '../../components/data-table.tsx';
import { AnchorLink } from '../../components/links.tsx';
import { Loading } from '../../components/loading.tsx';
import { Page } from '../../components/page.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { i18n } from '../../language/i18n.ts';
import { describeAction, describeOptions, describeRest } from './describe-action.ts';
import { Abort, Settled } from './progress.tsx';

const route = getRouteApi('/w/$workspaceId/bulk-actions/$actionId');

/** A run that the action did not act on, and where it is. */
type Row = BulkAction['errors'][number] & { readonly workspaceId: string };

const COLUMNS: Columns<Row> = [
  {
    id: 'run',
    header: i18n.t({ id: 'noun: Run', message: 'Run' }),
    cell: ({ row: { original } }) => (
      <AnchorLink
        to="/w/$workspaceId/runs/$executionId"
        params={{ workspaceId: original.workspaceId, executionId: original.executionId }}
      >
        {original.executionId}
      </AnchorLink>
    ),
  },
  { id: 'code', header: i18n.t('Code'), cell: ({ row: { original } }) => original.code },
  { id: 'message', header: i18n.t('Message'), cell: ({ row: { original } }) => original.message },
];

/** A bulk action: its progress, and the first runs that it did not act on. */
export function BulkActionPage() {
  const { actionId } = route.useParams();
  const query = useQuery(bulkActionQuery(actionId));
  if (query.isError && !query.data) return <Broken error={query.error} reset={() => void query.refetch()} />;
  if (!query.data) return <Loading />;
  const action = query.data;
  const { workspaceId, done, failed, skipped, errors, createdByUser, createdAt, finishedAt } = action;
  return (
    <Page
      title={describeAction(action)}
      above={
        <Breadcrumbs>
          <AnchorLink size="sm" to="/w/$workspaceId/bulk-actions" params={{ workspaceId }}>
            {i18n.t('Bulk actions')}
          </AnchorLink>
        </Breadcrumbs>
      }
      actions={<Abort action={action} />}
    >
      <Stack gap="lg">
        <Group gap="lg">
          <StatusBadge status={action.status} />
          <Text size="sm">
            {createdByUser ? (
              <Trans
                id="Started <0/> by {email}"
                values={{ email: createdByUser.email }}
                components={{ 0: <RelativeTime at={createdAt} /> }}
              />
            ) : (
              <Trans id="Started <0/> by a former member" components={{ 0: <RelativeTime at={createdAt} /> }} />
            )}
          </Text>
          {finishedAt !== null && (
            <Text size="sm">
              <Trans id="Ended <0/>" components={{ 0: <RelativeTime at={finishedAt} /> }} />
            </Text>
          )}
          <Text size="sm">{describeOptions(action)}</Text>
        </Group>
        <section aria-label={i18n.t('Progress')}>
          <Settled action={action} />
          <Text size="sm" mt="xs">
            {[i18n.t('{done, number} done', { done }), describeRest({ ...action, errors: [] })]
              .filter((part) => part !== '')
              .join(' · ')}
          </Text>
        </section>
        {action.filter !== null && (
          <section>
            <Title order={2} size="h4" mb="xs">
              {i18n.t('Filter')}
            </Title>
            <code>{JSON.stringify(action.filter)}</code>
          </section>
        )}
        {errors.length > 0 && (
          <section>
            <Title order={2} size="h4" mb="xs">
              {failed + skipped > errors.length
                ? i18n.t('First {count} failed and skipped runs', { count: errors.length })
                : i18n.t('Failed and skipped runs')}
            </Title>
            <DataTable
              label={i18n.t('Failed and skipped runs')}
              columns={COLUMNS}
              rows={errors.map((error) => ({ ...error, workspaceId }))}
              keyOf={({ executionId }) => executionId}
            />
          </section>
        )}
      </Stack>
    </Page>
  );
}
