import { I18nProvider } from '@lingui/react';
import { MantineProvider } from '@mantine/core';
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { createQueryClient } from '../api/query-client.ts';
import { Notices } from '../components/notices.tsx';
import { i18n } from '../language/i18n.ts';
import { readSession, watchSession } from '../session/store.ts';
import { Confirmation } from './confirmation.tsx';
import { createAppRouter } from './router.tsx';
import { cssVariables, theme } from './theme.ts';

type AppRouter = ReturnType<typeof createAppRouter>;

declare module '@tanstack/react-router' {
  // Registers the router's types for its hooks.
  interface Register {
    router: AppRouter;
  }
}

/** Returns the console as a component, with a router and a cache of its own. */
export function createApp() {
  const queryClient = createQueryClient();
  const router = createAppRouter();
  return () => <App queryClient={queryClient} router={router} />;
}

function App({ queryClient, router }: { queryClient: QueryClient; router: AppRouter }) {
  const [first] = useState(readSession);
  useEffect(() => {
    const follow = (): void => {
      // The next person must not see what was read for this one.
      if (!readSession()) queryClient.clear();
      // Rights are checked again after signing in or out.
      void router.invalidate();
    };
    // The session of another tab may have come since the page was chosen.
    if (readSession() !== first) follow();
    return watchSession(follow);
  }, [queryClient, router, first]);
  return (
    <I18nProvider i18n={i18n}>
      <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto">
        <QueryClientProvider client={queryClient}>
          <RouterProvider router={router} />
          <Confirmation />
          <Notices />
        </QueryClientProvider>
      </MantineProvider>
    </I18nProvider>
  );
}
