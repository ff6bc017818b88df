import { EVENT_TYPES, type EventEndpoint, type EventType } from '@deckhand/contracts';
import { MultiSelect, TagsInput, TextInput } from '@mantine/core';
import { useState } from 'react';
import { FormDialog } from '../../components/form-dialog.tsx';
import { useWorkflowOptions } from '../../forms/workflow-select.tsx';
import { i18n } from '../../language/i18n.ts';

/** What a person may choose of an endpoint. Null means all. */
export type EndpointFields = Pick<EventEndpoint, 'url' | 'description' | 'workflowIds' | 'tags'> & {
  readonly eventTypes: EventType[] | null;
};

/** Asks for the URL of an event endpoint, and for what is sent to it. */
export function EndpointForm({
  endpoint,
  act,
  onClose,
}: {
  /** Undefined for a new one. */
  endpoint?: EventEndpoint;
  act: (fields: EndpointFields) => Promise<unknown>;
  onClose: () => void;
}) {
  const types: string[] = [...(endpoint?.eventTypes ?? [])];
  const initial = {
    url: endpoint?.url ?? '',
    description: endpoint?.description ?? '',
    types,
    workflowIds: [...(endpoint?.workflowIds ?? [])],
    tags: [...(endpoint?.tags ?? [])],
  };
  return (
    <FormDialog
      title={endpoint ? i18n.t('Edit event endpoint') : i18n.t('New event endpoint')}
      initial={initial}
      submit={endpoint ? i18n.t('Save') : i18n.t('Create endpoint')}
      act={(values) =>
        act({
          url: values.url,
          description: values.description,
          eventTypes: orAll(EVENT_TYPES.filter((type) => values.types.includes(type))),
          workflowIds: orAll(values.workflowIds),
          tags: orAll(values.tags),
        })
      }
      onClose={onClose}
    >
      {({ text, field }) => (
        <>
          <TextInput
            label={i18n.t('URL')}
            type="url"
            required
            maxLength={2_048}
            placeholder="https://example.com/events"
            data-autofocus
            {...text('url')}
          />
          <TextInput label={i18n.t('Description')} maxLength={500} {...text('description')} />
          <MultiSelect
            label={i18n.t('Events')}
            searchable
            description={i18n.t('Leave empty for all')}
            data={[...EVENT_TYPES]}
            {...field('types')}
          />
          <WorkflowsSelect {...field('workflowIds')} />
          <TagsInput
            label={i18n.t('Tags')}
            description={i18n.t('Only runs with one of these tags. Leave empty for all')}
            {...field('tags')}
          />
        </>
      )}
    </FormDialog>
  );
}

function WorkflowsSelect({ value, onChange }: { value: string[]; onChange: (value: string[]) => void }) {
  const [typed, setTyped] = useState('');
  return (
    <MultiSelect
      label={i18n.t('Workflows')}
      searchable
      description={i18n.t('Leave empty for all')}
      data={useWorkflowOptions(value, typed)}
      onSearchChange={setTyped}
      value={value}
      onChange={onChange}
    />
  );
}

function orAll<T>(chosen: readonly T[]): T[] | null {
  return chosen.length === 0 ? null : [...chosen];
}
