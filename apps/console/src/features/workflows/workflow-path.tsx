import type { FolderEntry, Workflow } from '@deckhand/contracts';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { pathTo } from '../../api/folder-tree.ts';
import { foldersQuery } from '../../api/folders.ts';
import { Breadcrumbs } from '../../components/breadcrumbs.tsx';
import { AnchorLink } from '../../components/links.tsx';
import { i18n } from '../../language/i18n.ts';

/** The folders of a workflow, and what follows them. */
export function WorkflowPath({
  workflow: { workspaceId, folderId },
  children,
}: {
  workflow: Workflow;
  children?: ReactNode;
}) {
  const { data: tree } = useQuery(foldersQuery(workspaceId));
  return (
    <FolderPath workspaceId={workspaceId} path={tree ? pathTo(tree, folderId) : []}>
      {children}
    </FolderPath>
  );
}

/** The path to a page below the list of workflows: a link to each folder on it, and what follows them. */
export function FolderPath({
  workspaceId,
  path,
  children,
}: {
  workspaceId: string;
  path: readonly FolderEntry[];
  children?: ReactNode;
}) {
  return (
    <Breadcrumbs>
      <AnchorLink size="sm" to="/w/$workspaceId/workflows" params={{ workspaceId }}>
        {i18n.t('Workflows')}
      </AnchorLink>
      {path.map(({ id, name }) => (
        <AnchorLink
          key={id}
          size="sm"
          to="/w/$workspaceId/workflows"
          params={{ workspaceId }}
          search={{ folderId: id }}
        >
          {name}
        </AnchorLink>
      ))}
      {children}
    </Breadcrumbs>
  );
}
