import type { Workflow } from '@deckhand/contracts';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { foldersQuery } from '../../api/folders.ts';
import { pathTo } from '../../api/folder-tree.ts';
import { FolderPath } from './folder-path.tsx';

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
