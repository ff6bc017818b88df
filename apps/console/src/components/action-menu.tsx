import { ActionIcon, Menu } from '@mantine/core';
import { Ellipsis, type LucideIcon } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { i18n } from '../language/i18n.ts';

/** An action in a dialog. */
export interface Action {
  readonly label: string;
  readonly Icon: LucideIcon;
  readonly isDangerous?: boolean;
  /** The open dialog; it calls `close` when it is done or dismissed. */
  readonly dialog: (close: () => void) => ReactNode;
}

/**
 * A menu of actions behind one button, which gets the focus again after a dialog is closed. @param of names the thing,
 * for screen readers.
 */
export function ActionMenu({ of, actions }: { of: string; actions: readonly Action[] }) {
  const [chosen, setChosen] = useState<string>();
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const before = button.current;
    return chosen === undefined ? undefined : () => before?.focus();
  }, [chosen]);
  // A dialog that is done late must not close the one that was opened after it.
  const close = (label: string | undefined): void => setChosen((current) => (current === label ? undefined : current));
  return (
    <>
      <Menu position="bottom-end" returnFocus>
        <Menu.Target>
          <ActionIcon
            ref={button}
            variant="subtle"
            color="gray"
            size={34}
            aria-label={i18n.t('Actions for {of}', { of })}
          >
            <Ellipsis size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {actions.map(({ label, Icon, isDangerous }) => (
            <Menu.Item
              key={label}
              leftSection={<Icon size={16} aria-hidden />}
              {...(isDangerous && { c: 'var(--status-bad)' })}
              onClick={() => setChosen(label)}
            >
              {label}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {actions.find(({ label }) => label === chosen)?.dialog(() => close(chosen))}
    </>
  );
}
