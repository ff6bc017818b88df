import { ActionIcon, Button, Group, Input, Stack, TextInput } from '@mantine/core';
import { ArrowUp, Plus, X } from 'lucide-react';
import { i18n } from '../../language/i18n.ts';

/** The choices of a field: a row for each. */
export function ChoiceRows({
  choices,
  onChange,
}: {
  choices: readonly string[];
  onChange: (choices: readonly string[]) => void;
}) {
  const add = (): void => onChange([...choices, '']);
  const issueOf = (choice: string, index: number): string | undefined =>
    choice !== '' && choices.indexOf(choice) < index ? i18n.t('Listed twice') : undefined;
  return (
    <Input.Wrapper
      label={i18n.t('Choices')}
      labelElement="div"
      error={choices.every((choice) => choice === '') && i18n.t('Add at least one choice')}
    >
      <Stack gap={6} my={4}>
        {choices.map((choice, index) => (
          // Rows have no identity other than their index.
          <Group key={index} gap={6} wrap="nowrap" align="flex-start">
            <TextInput
              aria-label={i18n.t('Choice {number}', { number: index + 1 })}
              // Only rows that were just added are empty.
              autoFocus={choice === ''}
              value={choice}
              error={issueOf(choice, index)}
              onChange={(event) => onChange(choices.with(index, event.currentTarget.value))}
              onKeyDown={(event) => {
                if (event.key === 'Enter' && choice !== '') add();
              }}
              flex={1}
            />
            {index > 0 && (
              <ActionIcon
                variant="subtle"
                color="gray"
                size="lg"
                aria-label={i18n.t('Move choice {number} up', { number: index + 1 })}
                onClick={() => onChange(choices.toSpliced(index - 1, 2, choice, ...choices.slice(index - 1, index)))}
              >
                <ArrowUp size={16} aria-hidden />
              </ActionIcon>
            )}
            <ActionIcon
              variant="subtle"
              color="gray"
              size="lg"
              aria-label={i18n.t('Remove choice {number}', { number: index + 1 })}
              onClick={() => onChange(choices.toSpliced(index, 1))}
            >
              <X size={16} aria-hidden />
            </ActionIcon>
          </Group>
        ))}
        <Button variant="default" size="xs" leftSection={<Plus size={14} aria-hidden />} onClick={add} w="fit-content">
          {i18n.t('Add choice')}
        </Button>
      </Stack>
    </Input.Wrapper>
  );
}
