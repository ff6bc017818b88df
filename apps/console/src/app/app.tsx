import { I18nProvider } from '@lingui/react';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { createQueryClient } from '../api/query-client.ts';
import { Notices } from '../components/notices.tsx';
import { i18n } from '../language/i18n.ts';
import { createAppRouter } from './router.tsx';
import { cssVariables, theme } from './theme.ts';

const queryClient = createQueryClient();
const router = createAppRouter();

declare module '@tanstack/react-router' {
  // Registers the router's types for its hooks.
  interface Register {
    router: typeof router;
  }
}

/** The console. */
export function App() {
  return (
    <I18nProvider i18n={i18n}>
      <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto">
        <QueryClientProvider client={queryClient}>
          <RouterProvider router={router} />
          <Notices />
        </QueryClientProvider>
      </MantineProvider>
    </I18nProvider>
  );
}
