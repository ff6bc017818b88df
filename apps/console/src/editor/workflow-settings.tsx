import type { Definition } from '@deckhand/contracts';
import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { LimitInput } from '../forms/limit-input.js';

type Settings = NonNullable<Definition['settings']>;

/** Seconds over which a rate is counted where nothing else is said. */
const MINUTE = 60;

/** What holds for the workflow as a whole. A part of its definition: it is saved with it, and taken back like any change. */
export function WorkflowSettings({
  settings,
  isOpen,
  onClose,
  onChange,
}: {
  settings: Settings | undefined;
  isOpen: boolean;
  onClose: () => void;
  onChange: (settings: Settings) => void;
}) {
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title="Settings of the workflow"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Fields
        settings={settings ?? {}}
        onClose={onClose}
        onApply={(next) => {
          onChange(next);
          onClose();
        }}
      />
    </Modal>
  );
}

function Fields({
  settings,
  onClose,
  onApply,
}: {
  settings: Settings;
  onClose: () => void;
  onApply: (settings: Settings) => void;
}) {
  const [timeoutSeconds, setTimeoutSeconds] = useState(settings.timeoutSeconds ?? null);
  const [runsAtOnce, setRunsAtOnce] = useState(settings.maxConcurrentExecutions ?? null);
  const [max, setMax] = useState(settings.rateLimit?.max ?? null);
  const [windowSeconds, setWindowSeconds] = useState(settings.rateLimit?.windowSeconds ?? null);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onApply({
          ...(timeoutSeconds === null ? {} : { timeoutSeconds }),
          ...(max === null ? {} : { rateLimit: { max, windowSeconds: windowSeconds ?? MINUTE } }),
          ...(runsAtOnce === null ? {} : { maxConcurrentExecutions: runsAtOnce }),
        });
      }}
    >
      <Stack>
        <LimitInput
          label="Time for a run, in seconds"
          description="A run that takes longer times out"
          placeholder="The service's own limit"
          value={timeoutSeconds}
          onChange={setTimeoutSeconds}
        />
        <LimitInput
          label="Runs at once"
          description="Further ones are accepted, and wait for others to end"
          placeholder="No limit"
          value={runsAtOnce}
          onChange={setRunsAtOnce}
        />
        <Group grow align="flex-start" preventGrowOverflow={false}>
          <LimitInput
            label="Webhook calls"
            description="Further ones are refused"
            placeholder="No limit"
            value={max}
            onChange={setMax}
          />
          <LimitInput
            label="Within seconds"
            description="Then counted anew"
            placeholder={String(MINUTE)}
            value={windowSeconds}
            onChange={setWindowSeconds}
          />
        </Group>
        <Text size="sm" c="dimmed">
          They hold for new runs once the workflow is saved.
        </Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit">Apply</Button>
        </Group>
      </Stack>
    </form>
  );
}
