import { List, Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { i18n } from '../../language/i18n.ts';
import type { Template } from '../../templates/index.ts';

/** Loaded on demand, because most visits create no workflow. */
const templatesQuery = {
  queryKey: ['templates'],
  queryFn: async () => (await import('../../templates/index.ts')).TEMPLATES,
  staleTime: Infinity,
};

/** Offers the templates that a new workflow can start with, and says what the chosen one needs; undefined is none. */
export function TemplateSelect({
  value,
  onChange,
}: {
  value: Template | undefined;
  onChange: (template: Template | undefined) => void;
}) {
  const { data: templates = [] } = useQuery(templatesQuery);
  const variables = Object.entries(value?.variables ?? {});
  return (
    <Stack gap="xs">
      <Select
        label={i18n.t('Start with')}
        placeholder={i18n.t('An empty workflow')}
        data={templates.map(({ name }) => name)}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': i18n.t('Start with an empty workflow') }}
        nothingFoundMessage={i18n.t('No such template')}
        value={value?.name ?? null}
        onChange={(name) => onChange(templates.find((template) => template.name === name))}
      />
      {variables.length > 0 && (
        <>
          <Text size="sm">{i18n.t('It needs these variables of the workspace:')}</Text>
          <List size="sm">
            {variables.map(([name, meaning]) => (
              <List.Item key={name}>
                <b>{name}</b>: {meaning}
              </List.Item>
            ))}
          </List>
        </>
      )}
    </Stack>
  );
}
