import { EVENT_TYPES, type EventEndpoint, type EventType } from '@deckhand/contracts';
import { Modal, MultiSelect, Stack, TagsInput, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { FormFooter } from '../../components/form-footer.tsx';
import { useWorkflowOptions } from '../../forms/use-workflow-options.ts';
import { i18n } from '../../language/i18n.ts';

/** What a person may choose of an endpoint. Null means all. */
export type EndpointFields = Pick<EventEndpoint, 'url' | 'description' | 'workflowIds' | 'tags'> & {
  readonly eventTypes: EventType[] | null;
};

/** Asks for the URL of an event endpoint, and for what is sent to it. */
export function EndpointForm<Saved>({
  endpoint,
  save,
  onSaved,
  onClose,
}: {
  /** Undefined for a new one. */
  endpoint?: EventEndpoint;
  save: (fields: EndpointFields) => Promise<Saved>;
  onSaved: (saved: Saved) => void;
  onClose: () => void;
}) {
  const [url, setUrl] = useState(endpoint?.url ?? '');
  const [description, setDescription] = useState(endpoint?.description ?? '');
  const [types, setTypes] = useState<readonly string[]>(endpoint?.eventTypes ?? []);
  const [workflowIds, setWorkflowIds] = useState<readonly string[]>(endpoint?.workflowIds ?? []);
  const [tags, setTags] = useState<readonly string[]>(endpoint?.tags ?? []);
  const [typed, setTyped] = useState('');
  const workflows = useWorkflowOptions(workflowIds, typed);
  const saving = useMutation({
    mutationFn: () =>
      save({
        url,
        description,
        eventTypes: orAll(EVENT_TYPES.filter((type) => types.includes(type))),
        workflowIds: orAll(workflowIds),
        tags: orAll(tags),
      }),
    onSuccess: onSaved,
  });
  return (
    <Modal
      opened
      onClose={onClose}
      title={endpoint ? i18n.t('Edit event endpoint') : i18n.t('New event endpoint')}
      closeButtonProps={{ 'aria-label': i18n.t('Close') }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          saving.mutate();
        }}
      >
        <Stack>
          <TextInput
            label={i18n.t('URL')}
            type="url"
            required
            maxLength={2_048}
            placeholder="https://example.com/events"
            data-autofocus
            value={url}
            onChange={(event) => setUrl(event.currentTarget.value)}
          />
          <TextInput
            label={i18n.t('Description')}
            maxLength={500}
            value={description}
            onChange={(event) => setDescription(event.currentTarget.value)}
          />
          <MultiSelect
            label={i18n.t('Events')}
            searchable
            description={i18n.t('Leave empty for all')}
            data={[...EVENT_TYPES]}
            value={[...types]}
            onChange={setTypes}
          />
          <MultiSelect
            label={i18n.t('Workflows')}
            searchable
            description={i18n.t('Leave empty for all')}
            data={workflows}
            onSearchChange={setTyped}
            value={[...workflowIds]}
            onChange={setWorkflowIds}
          />
          <TagsInput
            label={i18n.t('Tags')}
            description={i18n.t('Only runs with one of these tags. Leave empty for all')}
            value={[...tags]}
            onChange={setTags}
          />
          <FormFooter
            error={saving.error}
            submit={endpoint ? i18n.t('Save') : i18n.t('Create endpoint')}
            isPending={saving.isPending}
            onCancel={onClose}
          />
        </Stack>
      </form>
    </Modal>
  );
}

function orAll<T>(chosen: readonly T[]): T[] | null {
  return chosen.length === 0 ? null : [...chosen];
}
