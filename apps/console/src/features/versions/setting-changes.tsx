import { Text, Title } from '@mantine/core';
import type { ValueChange } from '../../graph/diff-definitions.ts';
import { i18n } from '../../language/i18n.ts';
import { labelSetting } from './describe-diff.ts';
import { ValueChanges } from './value-changes.tsx';

/** The differences of the workflow's settings. */
export function SettingChanges({ values }: { values: readonly ValueChange[] }) {
  return (
    <>
      <Title order={2} size="h5" mb="sm">
        {i18n.t('Workflow settings')}
      </Title>
      {values.length > 0 ? (
        <ValueChanges change="changed" values={values} labelOf={labelSetting} isSecret={() => false} />
      ) : (
        <Text size="sm" c="dimmed">
          {i18n.t('No changes. Select a node to see its changes.')}
        </Text>
      )}
    </>
  );
}
