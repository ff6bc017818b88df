import { ActionIcon, Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';

/** A button of the toolbar: an icon that says what it does when it is pointed at. */
export function Tool({
  label,
  isDisabled = false,
  onClick,
  children,
}: {
  label: string;
  isDisabled?: boolean;
  onClick: () => void;
  children: ReactNode;
}) {
  return (
    <Tooltip label={label}>
      <ActionIcon variant="default" size={36} aria-label={label} disabled={isDisabled} onClick={onClick}>
        {children}
      </ActionIcon>
    </Tooltip>
  );
}
