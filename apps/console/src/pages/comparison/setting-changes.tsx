import { Text, Title } from '@mantine/core';
import type { ValueChange } from '../../graph/diff-definitions.js';
import { labelSetting } from './describe-diff.js';
import { ValueChanges } from './value-changes.js';

/** What differs in the settings of the workflow as a whole. */
export function SettingChanges({ values }: { values: readonly ValueChange[] }) {
  return (
    <>
      <Title order={2} size="h5" mb="sm">
        Settings of the workflow
      </Title>
      {values.length > 0 ? (
        <ValueChanges change="changed" values={values} labelOf={labelSetting} isSecret={() => false} />
      ) : (
        <Text size="sm" c="dimmed">
          They are the same in both. Choose a node to see what changed in it.
        </Text>
      )}
    </>
  );
}
