import type { FolderEntry } from '@deckhand/contracts';
import type { ReactNode } from 'react';
import { Breadcrumbs } from '../../components/breadcrumbs.tsx';
import { AnchorLink } from '../../components/links.tsx';
import { i18n } from '../../language/i18n.ts';

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
