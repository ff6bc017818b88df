import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { finishConnectionQuery } from '../../api/credentials.ts';
import { AnchorLink } from '../../components/links.tsx';
import { Loading } from '../../components/loading.tsx';
import { Problem } from '../../components/problem.tsx';
import { i18n } from '../../language/i18n.ts';
import { FrontDoor } from '../sign-in/front-door.tsx';

/**
 * The page that a provider of OAuth 2.0 redirects to. It is usually in a window of its own, which closes itself. The
 * router would change codes that look like numbers, so the query is read as it is.
 */
export function OAuthCallback() {
  const [parameters] = useState(() => window.location.search.slice(1));
  const { data, error } = useQuery({ ...finishConnectionQuery(parameters), enabled: parameters !== '' });
  const isConnected = data !== undefined;
  useEffect(() => {
    // The code was used: it need not stay in the history.
    if (isConnected) window.history.replaceState(window.history.state, '', window.location.pathname);
    if (isConnected) window.close();
  }, [isConnected]);
  const title = i18n.t('Connect a credential');
  if (data) {
    return (
      <FrontDoor
        title={title}
        lead={i18n.t('The credential "{name}" is connected. You can close this page.', { name: data.name })}
      >
        <AnchorLink to="/w/$workspaceId/credentials" params={{ workspaceId: data.workspaceId }}>
          {i18n.t('To the credentials')}
        </AnchorLink>
      </FrontDoor>
    );
  }
  if (parameters !== '' && !error) return <Loading />;
  return (
    <FrontDoor title={title} lead={i18n.t('The credential was not connected.')}>
      <Problem error={error} />
      <AnchorLink to="/">{i18n.t('To the console')}</AnchorLink>
    </FrontDoor>
  );
}
