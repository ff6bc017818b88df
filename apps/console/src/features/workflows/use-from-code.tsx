import { Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { CopyText } from '../../components/copy-text.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { i18n } from '../../language/i18n.ts';
import { codeSnippets } from './code-snippets.ts';

/** Shows how programs and shells start a workflow, with its id and the address of this instance. */
export function UseFromCode({
  workspaceId,
  workflowId,
  onClose,
}: {
  workspaceId: string;
  workflowId: string;
  onClose: () => void;
}) {
  const { install, javaScript, shell, curl } = codeSnippets(window.location.origin, workflowId);
  return (
    <Dialog size="xl" onClose={onClose} title={i18n.t('Use from code')}>
      <Stack>
        <Text size="sm">
          {i18n.t('The key is read from DECKHAND_API_KEY.')}{' '}
          <Link to="/w/$workspaceId/api-keys" params={{ workspaceId }}>
            {i18n.t('Create an API key')}
          </Link>
        </Text>
        <Title order={3} size="sm">
          {i18n.t('From JavaScript or TypeScript')}
        </Title>
        <CopyText label={i18n.t('Install the SDK')} text={install} />
        <CopyText label={i18n.t('Program')} text={javaScript} />
        <Title order={3} size="sm">
          {i18n.t('From a shell')}
        </Title>
        <CopyText label={i18n.t('Command line')} text={shell} />
        <CopyText label="curl" text={curl} />
      </Stack>
    </Dialog>
  );
}
