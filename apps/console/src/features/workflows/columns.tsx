import type { WorkflowEntry } from '@deckhand/contracts';
import { Link } from '@tanstack/react-router';
import { Folder, Workflow } from 'lucide-react';
import type { ReactNode } from 'react';
import { describePath } from '../../api/folder-tree.ts';
import type { Columns } from '../../components/data-table.tsx';
import { AnchorLink } from '../../components/links.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { i18n } from '../../language/i18n.ts';
import classes from './columns.module.css';
import { FolderMenu } from './folder-menu.tsx';
import type { Row } from './rows.ts';
import { WorkflowMenu } from './workflow-menu.tsx';

/** A cell that is empty for folders. */
const ofWorkflow =
  (show: (workflow: WorkflowEntry) => ReactNode) =>
  ({ row: { original } }: { row: { original: Row } }): ReactNode =>
    original.kind === 'workflow' ? show(original.workflow) : null;

const NAME: Columns<Row> = [
  { id: 'name', header: i18n.t('Name'), cell: ({ row: { original } }) => <Name row={original} /> },
];

const REST: Columns<Row> = [
  { id: 'status', header: i18n.t('Status'), cell: ofWorkflow(({ status }) => <StatusBadge status={status} />) },
  { id: 'description', header: i18n.t('Description'), cell: ofWorkflow(({ description }) => description) },
  { id: 'runs', header: i18n.t('Runs'), cell: ofWorkflow((workflow) => <RunsOf workflow={workflow} />) },
  { id: 'updatedAt', header: i18n.t('Changed'), cell: ofWorkflow(({ updatedAt }) => <RelativeTime at={updatedAt} />) },
  {
    id: 'menu',
    header: '',
    cell: ({ row: { original } }) =>
      original.kind === 'folder' ? (
        <FolderMenu folder={original.folder} />
      ) : (
        <WorkflowMenu workflow={original.workflow} />
      ),
  },
];

/** Columns of a folder's content. */
export const COLUMNS: Columns<Row> = [...NAME, ...REST];

/** Columns of search results from several folders. */
export const COLUMNS_FOUND: Columns<Row> = [
  ...NAME,
  { id: 'folder', header: i18n.t('Folder'), cell: ({ row: { original } }) => <Place row={original} /> },
  ...REST,
];

function Name({ row }: { row: Row }) {
  const { id, name, workspaceId } = row;
  if (row.kind === 'folder') {
    return (
      <Link to="/w/$workspaceId/workflows" params={{ workspaceId }} search={{ folderId: id }}>
        <Folder size={18} className={classes.folder} role="img" aria-label={i18n.t('Folder')} /> {name}
      </Link>
    );
  }
  return (
    <Link to="/w/$workspaceId/workflows/$workflowId" params={{ workspaceId, workflowId: id }}>
      <Workflow size={18} className={classes.workflow} aria-hidden /> {name}
    </Link>
  );
}

/** The folder that contains a row. */
function Place({ row: { path, workspaceId } }: { row: Row }) {
  const folder = path.at(-1);
  if (!folder) return null;
  return (
    <AnchorLink size="sm" to="/w/$workspaceId/workflows" params={{ workspaceId }} search={{ folderId: folder.id }}>
      {describePath(path)}
    </AnchorLink>
  );
}

function RunsOf({ workflow: { id, name, workspaceId } }: { workflow: WorkflowEntry }) {
  return (
    <AnchorLink
      size="sm"
      to="/w/$workspaceId/runs"
      params={{ workspaceId }}
      search={{ workflowId: id }}
      aria-label={i18n.t('Runs of {name}', { name })}
    >
      {i18n.t('Runs')}
    </AnchorLink>
  );
}
