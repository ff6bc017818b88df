import { type CancelRule, MAX_CANCEL_RULES } from '@deckhand/contracts';
import { ActionIcon, Button, Group, Input, Stack, TextInput } from '@mantine/core';
import { Plus, X } from 'lucide-react';
import { issueAt } from '../../../forms/issue-at.ts';
import { i18n } from '../../../language/i18n.ts';

const pathOf = (index: number, field: keyof CancelRule): string => `definition.settings.cancelOn[${index}].${field}`;

/** The paths of the fields in issues of a save. */
export const CANCEL_PATHS: readonly string[] = Array.from({ length: MAX_CANCEL_RULES }, (_, index) => [
  pathOf(index, 'name'),
  pathOf(index, 'key'),
]).flat();

/** The events that stop the runs of a workflow: a row for each. */
export function CancelRules({
  rules,
  error,
  onChange,
}: {
  rules: readonly CancelRule[];
  /** The error of the last save. */
  error: unknown;
  onChange: (rules: readonly CancelRule[]) => void;
}) {
  const replace = (index: number, rule: CancelRule): void =>
    onChange(rules.map((before, at) => (at === index ? rule : before)));
  return (
    <Input.Wrapper
      label={i18n.t('Stop runs on events')}
      labelElement="div"
      description={i18n.t('Also those that wait. The key is optional')}
    >
      <Stack gap={6} mt={4}>
        {rules.map((rule, index) => (
          // Rows have no identity other than their index.
          <Group key={index} gap={6} wrap="nowrap" align="flex-start">
            <TextInput
              aria-label={i18n.t('Event {number}: name', { number: index + 1 })}
              placeholder="order.cancelled"
              value={rule.name}
              error={issueAt(error, pathOf(index, 'name'))}
              onChange={({ currentTarget: { value } }) => replace(index, { ...rule, name: value })}
              flex={1}
            />
            <TextInput
              aria-label={i18n.t('Event {number}: key', { number: index + 1 })}
              placeholder={i18n.t('Any key, or {expression}', { expression: '{{ $trigger.… }}' })}
              maxLength={1_000}
              value={rule.key ?? ''}
              error={issueAt(error, pathOf(index, 'key'))}
              onChange={({ currentTarget: { value } }) =>
                replace(index, { name: rule.name, ...(value !== '' && { key: value }) })
              }
              flex={1}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              size="lg"
              aria-label={i18n.t('Remove event {number}', { number: index + 1 })}
              onClick={() => onChange(rules.filter((_, at) => at !== index))}
            >
              <X size={16} aria-hidden />
            </ActionIcon>
          </Group>
        ))}
        {rules.length < MAX_CANCEL_RULES && (
          <Button
            variant="default"
            size="xs"
            leftSection={<Plus size={14} aria-hidden />}
            onClick={() => onChange([...rules, { name: '' }])}
            w="fit-content"
          >
            {i18n.t('Add event')}
          </Button>
        )}
      </Stack>
    </Input.Wrapper>
  );
}
