import { useQuery } from '@tanstack/react-query';
import { Navigate } from '@tanstack/react-router';
import { meQuery } from '../api/people.ts';
import { Broken } from '../components/broken.tsx';
import { Loading } from '../components/loading.tsx';
import { useSession } from '../session/use-session.ts';
import { lastWorkspace } from './last-workspace.ts';
import { NoWorkspace } from './no-workspace.tsx';

/** Redirects to the workspace that the person used last. */
export function Home() {
  const session = useSession();
  const me = useQuery({ ...meQuery, enabled: session !== undefined });
  if (me.isError) return <Broken error={me.error} reset={() => void me.refetch()} />;
  if (!me.data) return <Loading />;
  const { workspaces } = me.data;
  const workspace = workspaces.find(({ workspaceId }) => workspaceId === lastWorkspace()) ?? workspaces[0];
  if (!workspace) return <NoWorkspace />;
  return <Navigate to="/w/$workspaceId/workflows" params={{ workspaceId: workspace.workspaceId }} />;
}
