import type { Execution } from '@deckhand/contracts';
import { Stack, Text } from '@mantine/core';
import { Dialog } from '../../components/dialog.tsx';
import { useQuery } from '@tanstack/react-query';
import { wholeRunQuery } from '../../api/executions.ts';
import { nodeTypesQuery, versionQuery } from '../../api/workflows.ts';
import { Broken } from '../../components/broken.tsx';
import { CopyText } from '../../components/copy-text.tsx';
import { Loading } from '../../components/loading.tsx';
import { i18n } from '../../language/i18n.ts';
import { testAsYaml, toTest } from './to-test.ts';

/** Shows a finished run as a test, to be copied into the file of its workflow. */
export function SaveAsTest({ run, onClose }: { run: Execution; onClose: () => void }) {
  const whole = useQuery(wholeRunQuery(run.id));
  const version = useQuery(versionQuery(run.workflowId, run.workflowVersionId));
  const nodeTypes = useQuery(nodeTypesQuery);
  return (
    <Dialog onClose={onClose} title={i18n.t('Save as a test')} size="lg">
      {version.isError ? (
        <Broken error={version.error} reset={() => void version.refetch()} />
      ) : whole.isError ? (
        <Broken error={whole.error} reset={() => void whole.refetch()} />
      ) : whole.data && version.data && nodeTypes.data ? (
        <Stack gap="sm">
          <Text size="sm">
            {i18n.t(
              'Put it below "tests:" in the file of the workflow, and run it with "deckhand test". Variables that the workflow reads are missing; a node in a loop has the output of its last iteration.',
            )}
          </Text>
          <CopyText
            label={i18n.t({ id: 'noun: Test', message: 'Test' })}
            text={testAsYaml(
              toTest(whole.data, version.data.definition, new Map(nodeTypes.data.data.map((e) => [e.type, e]))),
            )}
          />
        </Stack>
      ) : (
        <Loading />
      )}
    </Dialog>
  );
}
