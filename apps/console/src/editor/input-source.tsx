import { ActionIcon, Button, Group, Popover, Select, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Bookmark, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { newestRunsQuery, wholeRunQuery } from '../api/executions.js';
import { useWorkspace } from '../api/use-workspace.js';
import { notifyProblem } from '../components/notice-board.js';
import { STATUS_LOOKS } from '../components/status-badge.js';
import { MAX_INPUT_LENGTH, MAX_INPUTS, useSavedInputs, withInput } from './saved-inputs.js';

const SAVED = 'saved:';

/** Fills in the input of a run from one that was saved or from an earlier run, and saves what is typed under a name. */
export function InputSource({
  workflowId,
  input,
  onFill,
}: {
  workflowId: string;
  /** What is typed now. */
  input: string;
  onFill: (input: string) => void;
}) {
  const { workspaceId } = useWorkspace();
  const [saved, setSaved] = useSavedInputs(workflowId);
  const [chosen, setChosen] = useState<string | null>(null);
  const runs = useQuery(newestRunsQuery(workspaceId, { workflowId })).data?.data ?? [];
  const queryClient = useQueryClient();
  const inputOf = async (executionId: string): Promise<string> => {
    const { data } = await queryClient.query(wholeRunQuery(executionId));
    return JSON.stringify(data.trigger, undefined, 2);
  };
  const fill = async (source: string | null): Promise<void> => {
    setChosen(source);
    if (source === null) return;
    const own = saved.find(({ name }) => `${SAVED}${name}` === source);
    onFill(own?.input ?? (await inputOf(source)));
  };
  const chosenInput = saved.find(({ name }) => `${SAVED}${name}` === chosen);
  const groups = [
    { group: 'Saved inputs', items: saved.map(({ name }) => ({ value: `${SAVED}${name}`, label: name })) },
    {
      group: 'Recent runs',
      items: runs.map(({ id, createdAt, status }) => ({
        value: id,
        label: `${new Date(createdAt).toLocaleString()}, ${STATUS_LOOKS[status].label.toLowerCase()}`,
      })),
    },
  ].filter(({ items }) => items.length > 0);
  return (
    <Group align="end" gap="xs" wrap="nowrap">
      <Select
        label="Fill in from"
        placeholder={groups.length === 0 ? 'Nothing is saved, and nothing has run' : 'A saved input or an earlier run'}
        disabled={groups.length === 0}
        searchable
        clearable
        flex={1}
        data={groups}
        value={chosen}
        onChange={(source) => void fill(source).catch(notifyProblem)}
      />
      {chosenInput && (
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={`Delete ${chosenInput.name}`}
          onClick={() => {
            setChosen(null);
            setSaved(saved.filter((each) => each !== chosenInput));
          }}
        >
          <Trash2 size={17} aria-hidden />
        </ActionIcon>
      )}
      <SaveInput
        isFull={saved.length >= MAX_INPUTS}
        isTooLong={input.length > MAX_INPUT_LENGTH}
        onSave={(name) => {
          setSaved(withInput(saved, { name, input }));
          setChosen(`${SAVED}${name}`);
        }}
      />
    </Group>
  );
}

/** Asks for the name of an input. */
function SaveInput({
  isFull,
  isTooLong,
  onSave,
}: {
  isFull: boolean;
  isTooLong: boolean;
  onSave: (name: string) => void;
}) {
  const [isOpen, dialog] = useDisclosure();
  const [name, setName] = useState('');
  const save = (): void => {
    if (name.trim() === '') return;
    onSave(name.trim());
    setName('');
    dialog.close();
  };
  const reason = isTooLong ? 'Too long to be saved' : isFull ? `At most ${MAX_INPUTS} are saved` : undefined;
  return (
    <Popover opened={isOpen} onChange={(open) => !open && dialog.close()} trapFocus withinPortal={false}>
      <Popover.Target>
        <Button
          variant="default"
          leftSection={<Bookmark size={16} aria-hidden />}
          disabled={reason !== undefined}
          title={reason}
          onClick={dialog.toggle}
        >
          Save input…
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Group align="end" gap="xs" wrap="nowrap">
          <TextInput
            label="Name of the input"
            description="Kept in this browser, for this workflow"
            maxLength={100}
            data-autofocus
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter') return;
              // The form around it would start the run.
              event.preventDefault();
              save();
            }}
          />
          <Button onClick={save}>Save</Button>
        </Group>
      </Popover.Dropdown>
    </Popover>
  );
}
