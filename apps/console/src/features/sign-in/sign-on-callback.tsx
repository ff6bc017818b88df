import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { finishSignOnQuery } from '../../api/people.ts';
import { AnchorLink } from '../../components/links.tsx';
import { Loading } from '../../components/loading.tsx';
import { Problem } from '../../components/problem.tsx';
import { i18n } from '../../language/i18n.ts';
import { beginSession } from '../../session/store.ts';
import { FrontDoor } from './front-door.tsx';
import { SecondStep } from './second-step.tsx';

/**
 * The page that an identity provider redirects to. The router would change codes that look like numbers, so the query
 * is read as it is.
 */
export function SignOnCallback() {
  const [parameters] = useState(() => window.location.search.slice(1));
  const navigate = useNavigate();
  const { data, error } = useQuery({ ...finishSignOnQuery(parameters), enabled: parameters !== '' });
  useEffect(() => {
    if (data === undefined || !('token' in data)) return;
    beginSession(data);
    // Its place in the history is taken, with the code: the page of the sign-in leads on.
    void navigate({ to: '/sign-in', search: data.next === null ? {} : { next: data.next }, replace: true });
  }, [data, navigate]);
  if (data && !('token' in data)) {
    const leave = () =>
      navigate({ to: '/sign-in', search: data.next === null ? {} : { next: data.next }, replace: true });
    return <SecondStep pending={data} onSignedIn={() => void leave()} onBack={() => void leave()} />;
  }
  if (parameters !== '' && !error) return <Loading />;
  return (
    <FrontDoor title={i18n.t('Sign in')} lead={i18n.t('You were not signed in.')}>
      <Problem error={error} />
      <AnchorLink to="/sign-in">{i18n.t('Sign in again')}</AnchorLink>
    </FrontDoor>
  );
}
