import { Input, Stack, Switch } from '@mantine/core';
import { useMemo, useState } from 'react';
import { markCode } from '../../components/mark-code.tsx';
import type { FieldInputProps } from '../../forms/field-input.tsx';
import { TextAsValue } from '../../forms/text-as-value.tsx';
import { fromText, isExpression } from '../../forms/values.ts';
import { i18n } from '../../language/i18n.ts';
import { FormFields } from './form-fields.tsx';
import { toRows } from './form-rows.ts';

/**
 * Builds the form of a human task, as fields with a preview, or as JSON. What the fields cannot represent exactly, such
 * as an expression, is only edited as JSON.
 */
export function FormBuilder({ field, value, onChange }: FieldInputProps) {
  const rows = useMemo(() => toRows(value), [value]);
  const [wantsJson, setWantsJson] = useState(rows === undefined);
  // The text stays when it becomes a schema that has rows: somebody may be typing.
  if (rows === undefined && !wantsJson) setWantsJson(true);
  return (
    <Input.Wrapper label={i18n.t('Form')} required={field.isRequired} labelElement="div">
      <Stack gap="xs" mt={4}>
        <Switch
          label={i18n.t('Edit as JSON')}
          description={rows === undefined && reasonOf(isExpression(value))}
          checked={wantsJson}
          disabled={rows === undefined}
          onChange={(event) => setWantsJson(event.currentTarget.checked)}
        />
        {wantsJson || rows === undefined ? (
          <TextAsValue
            label={field.label}
            description={markCode(field.description)}
            value={value}
            read={fromText}
            onChange={onChange}
          />
        ) : (
          <FormFields rows={rows} schema={value} onChange={onChange} />
        )}
      </Stack>
    </Input.Wrapper>
  );
}

function reasonOf(isOneExpression: boolean): string {
  return isOneExpression ? i18n.t('An expression has no fields') : i18n.t('The fields cannot show all of this schema');
}
